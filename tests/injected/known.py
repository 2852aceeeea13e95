"""The models whose cases are looked at, to mend the analysis by."""

from __future__ import annotations

from .builders import (
    PICTURE,
    SMALL_VIT,
    TEXT,
    Model,
    image,
    own_model,
    segmentation_model,
    timm_model,
    tokens,
    torchvision_model,
    transformers_model,
    vit_model,
)

#: What needs torch alone: models written here, in the styles of the packages.
OWN: dict[str, Model] = {
    "own.residual": own_model("residual", "ResidualNet", image(16)),
    "own.attention": own_model("attention", "Decoder", tokens(8)),
    "own.unet": own_model("unet", "UNet", image(16)),
    "own.mixture": own_model("mixture", "MixtureOfExperts", tokens(8)),
}

KNOWN: dict[str, Model] = {
    "timm.vit": timm_model("vit_tiny_patch16_224", img_size=64, depth=2),
    "timm.swin": timm_model(
        "swin_tiny_patch4_window7_224", 224, embed_dim=24, depths=(1, 1), num_heads=(2, 2)
    ),
    "timm.convnext": timm_model("convnext_atto"),
    "timm.efficientnet": timm_model("efficientnet_b0"),
    "timm.resnet": timm_model("resnet18"),
    "timm.mobilevit": timm_model("mobilevit_xxs"),
    "timm.cait": timm_model("cait_xxs24_224", img_size=64, depth=2),
    "timm.xcit": timm_model("xcit_nano_12_p16_224", img_size=64, depth=2),
    "timm.coat": timm_model("coat_tiny", 224),
    "timm.levit": timm_model("levit_128s", 224, batch=2),
    "timm.poolformer": timm_model("poolformer_s12"),
    "timm.mixer": timm_model("mixer_s32_224", img_size=64),
    "timm.ghostnet": timm_model("ghostnet_100"),
    "timm.dpn": timm_model("dpn68", batch=2),
    "timm.pvt": timm_model("pvt_v2_b0"),
    "timm.volo": timm_model("volo_d1_224", 224),
    "timm.edgenext": timm_model("edgenext_xx_small"),
    "timm.davit": timm_model("davit_tiny"),
    "timm.focalnet": timm_model("focalnet_tiny_srf"),
    "timm.twins": timm_model("twins_svt_small", 224),
    "timm.regnet": timm_model("regnetx_002", batch=2),
    "timm.gcvit": timm_model("gcvit_xxtiny", 224),
    "timm.beit": timm_model("beit_base_patch16_224", img_size=64, depth=2),
    "timm.eva": timm_model("eva02_tiny_patch14_224", 56, img_size=56, depth=2),
    "timm.crossvit": timm_model("crossvit_tiny_240", 240),
    "timm.densenet": timm_model("densenet121", batch=2),
    "torchvision.resnet": torchvision_model("resnet18"),
    "torchvision.densenet": torchvision_model("densenet121"),
    "torchvision.mobilenet": torchvision_model("mobilenet_v3_small"),
    "torchvision.shufflenet": torchvision_model("shufflenet_v2_x0_5"),
    "torchvision.googlenet": torchvision_model("googlenet", 96),
    "torchvision.swin": torchvision_model("swin_v2_t"),
    "torchvision.vit": torchvision_model("vit_b_32", 224),
    "torchvision.squeezenet": torchvision_model("squeezenet1_0"),
    "torchvision.convnext": torchvision_model("convnext_tiny"),
    "torchvision.efficientnet": torchvision_model("efficientnet_b0"),
    "smp.unet": segmentation_model("Unet"),
    "smp.unetplusplus": segmentation_model("UnetPlusPlus"),
    "smp.fpn": segmentation_model("FPN"),
    "smp.pan": segmentation_model("PAN", 256),
    "smp.manet": segmentation_model("MAnet"),
    "smp.linknet": segmentation_model("Linknet"),
    "smp.deeplab": segmentation_model("DeepLabV3Plus"),
    "vit_pytorch.vit": vit_model("vit", "ViT", **SMALL_VIT),
    "vit_pytorch.simple": vit_model("simple_vit", "SimpleViT", **SMALL_VIT),
    "vit_pytorch.deepvit": vit_model("deepvit", "DeepViT", **SMALL_VIT),
    "vit_pytorch.cait": vit_model("cait", "CaiT", cls_depth=1, **SMALL_VIT),
    "vit_pytorch.parallel": vit_model("parallel_vit", "ViT", **SMALL_VIT),
    "vit_pytorch.qk_norm": vit_model("simple_vit_with_qk_norm", "SimpleViT", **SMALL_VIT),
    "vit_pytorch.registers": vit_model("simple_vit_with_register_tokens", "SimpleViT", **SMALL_VIT),
    "vit_pytorch.small": vit_model("vit_for_small_dataset", "ViT", **SMALL_VIT),
    "vit_pytorch.rvt": vit_model("rvt", "RvT", **SMALL_VIT),
    "vit_pytorch.cvt": vit_model("cvt", "CvT", num_classes=8),
    "vit_pytorch.t2t": vit_model(
        "t2t", "T2TViT", dim=32, image_size=64, depth=2, heads=2, mlp_dim=64, num_classes=8
    ),
    "transformers.bert": transformers_model("BertModel", "BertConfig", **TEXT),
    "transformers.gpt2": transformers_model(
        "GPT2LMHeadModel", "GPT2Config", vocab_size=64, n_embd=32, n_layer=2, n_head=2, n_positions=64
    ),
    "transformers.llama": transformers_model(
        "LlamaForCausalLM", "LlamaConfig", num_key_value_heads=1, **TEXT
    ),
    "transformers.mistral": transformers_model(
        "MistralForCausalLM", "MistralConfig", num_key_value_heads=1, **TEXT
    ),
    "transformers.mixtral": transformers_model(
        "MixtralForCausalLM", "MixtralConfig", num_key_value_heads=1, num_local_experts=2, **TEXT
    ),
    "transformers.t5": transformers_model(
        "T5EncoderModel", "T5Config", vocab_size=64, d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2
    ),
    "transformers.deberta": transformers_model("DebertaV2Model", "DebertaV2Config", **TEXT),
    "transformers.mamba": transformers_model(
        "MambaForCausalLM", "MambaConfig", vocab_size=64, hidden_size=32, num_hidden_layers=2, state_size=4
    ),
    "transformers.vit": transformers_model("ViTModel", "ViTConfig", image(), **PICTURE),
    "transformers.swin": transformers_model(
        "SwinModel",
        "SwinConfig",
        image(),
        image_size=64,
        patch_size=4,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[1, 2],
        window_size=4,
    ),
    "transformers.segformer": transformers_model(
        "SegformerModel",
        "SegformerConfig",
        image(),
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[2, 1],
        hidden_sizes=[16, 32],
        patch_sizes=[7, 3],
        strides=[4, 2],
        num_attention_heads=[1, 2],
        mlp_ratios=[2, 2],
    ),
    "transformers.funnel": transformers_model(
        "FunnelModel",
        "FunnelConfig",
        vocab_size=64,
        block_sizes=[1, 1],
        d_model=32,
        n_head=2,
        d_head=16,
        d_inner=64,
    ),
    "transformers.bigbird": transformers_model(
        "BigBirdModel", "BigBirdConfig", attention_type="original_full", **TEXT
    ),
    "transformers.xlnet": transformers_model(
        "XLNetModel", "XLNetConfig", vocab_size=64, d_model=32, n_layer=2, n_head=2, d_inner=64
    ),
    "transformers.beit": transformers_model(
        "BeitModel", "BeitConfig", image(), use_relative_position_bias=True, **PICTURE
    ),
}
