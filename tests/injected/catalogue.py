"""The models that writes are put into, and which of them are set apart.

`KNOWN` is what faults are looked for and mended by. `FRESH` is what figures are reported by: nobody reads its cases, so
that a mending cannot be made for them. The two share no model, and no seed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

#: Seeds from here on belong to the fresh set, those below to the others.
FRESH_SEEDS = 1000


class Model(NamedTuple):
    """How to build a model and what to call it with; the package whose functions are written into."""

    package: str
    make: Callable[[], Any]
    inputs: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]


def load(name: str) -> Any:
    """The module. A torchvision that was built for another torch lacks its operators, which no model here calls."""
    import torch

    def no_fake(*_: Any, **__: Any) -> Callable[[Any], Any]:
        return lambda function: function

    with mock.patch.object(torch.library, "register_fake", no_fake):
        return importlib.import_module(name)


def _made(module: str, name: str, *args: Any, **options: Any) -> Callable[[], Any]:
    return lambda: getattr(load(module), name)(*args, **options)


def _image(
    size: int = 64, channels: int = 3, batch: int = 2, axes: int = 2, **more: Any
) -> Callable[[], Any]:
    def inputs() -> Any:
        import torch

        return (torch.randn(batch, channels, *[size] * axes),), more

    return inputs


def _tokens(length: int = 16, words: int = 60) -> Callable[[], Any]:
    def inputs() -> Any:
        import torch

        return (torch.randint(0, words, (2, length)),), {}

    return inputs


def _given(**shapes: tuple[int, ...] | int) -> Callable[[], Any]:
    """Keyword arguments: a shape stands for a random tensor, a number for a time step."""

    def inputs() -> Any:
        import torch

        return (), {
            name: torch.tensor([shape]) if isinstance(shape, int) else torch.randn(*shape)
            for name, shape in shapes.items()
        }

    return inputs


def _timm(name: str, size: int = 64, batch: int = 1, **options: Any) -> Model:
    return Model(
        "timm", _made("timm", "create_model", name, pretrained=False, **options), _image(size, batch=batch)
    )


def _torchvision(name: str, size: int = 64) -> Model:
    return Model("torchvision", _made("torchvision.models", "get_model", name, weights=None), _image(size))


def _segmentation(name: str, size: int = 64) -> Model:
    made = _made("segmentation_models_pytorch", name, encoder_name="resnet18", encoder_weights=None)
    return Model("segmentation_models_pytorch", made, _image(size))


def _vit(module: str, name: str, inputs: Callable[[], Any] | None = None, **options: Any) -> Model:
    return Model("vit_pytorch", _made(f"vit_pytorch.{module}", name, **options), inputs or _image())


def _transformers(name: str, config: str, inputs: Callable[[], Any] | None = None, **options: Any) -> Model:
    def make() -> Any:
        package = load("transformers")
        return getattr(package, name)(getattr(package, config)(**options))

    return Model("transformers", make, inputs or _tokens())


def _monai(name: str, inputs: Callable[[], Any], **options: Any) -> Model:
    return Model("monai", _made("monai.networks.nets", name, **options), inputs)


def _diffusers(name: str, inputs: Callable[[], Any], **options: Any) -> Model:
    return Model("diffusers", _made("diffusers", name, **options), inputs)


def _x_transformer(layers: str = "Decoder", **options: Any) -> Model:
    def make() -> Any:
        package = load("x_transformers")
        attn = getattr(package, layers)(dim=32, depth=2, heads=2, attn_dim_head=16, **options)
        return package.TransformerWrapper(num_tokens=60, max_seq_len=32, attn_layers=attn)

    return Model("x_transformers", make, _tokens())


def _own(module: str, name: str, inputs: Callable[[], Any], *args: Any, **options: Any) -> Model:
    return Model("models", _made(f"{__package__}.models.{module}", name, *args, **options), inputs)


_TEXT = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
_SMALL_VIT = {
    "image_size": 64,
    "patch_size": 16,
    "num_classes": 8,
    "dim": 32,
    "depth": 2,
    "heads": 2,
    "mlp_dim": 64,
}
_PICTURE = {
    "image_size": 64,
    "patch_size": 16,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
_VIT_3D = {"img_size": (32, 32, 32), "in_channels": 1}

#: What needs torch alone: models written here, in the styles of the packages.
OWN: dict[str, Model] = {
    "own.residual": _own("residual", "ResidualNet", _image(16)),
    "own.attention": _own("attention", "Decoder", _tokens(8)),
    "own.unet": _own("unet", "UNet", _image(16)),
    "own.mixture": _own("mixture", "MixtureOfExperts", _tokens(8)),
}

KNOWN: dict[str, Model] = {
    "timm.vit": _timm("vit_tiny_patch16_224", img_size=64, depth=2),
    "timm.swin": _timm("swin_tiny_patch4_window7_224", 224, embed_dim=24, depths=(1, 1), num_heads=(2, 2)),
    "timm.convnext": _timm("convnext_atto"),
    "timm.efficientnet": _timm("efficientnet_b0"),
    "timm.resnet": _timm("resnet18"),
    "timm.mobilevit": _timm("mobilevit_xxs"),
    "timm.cait": _timm("cait_xxs24_224", img_size=64, depth=2),
    "timm.xcit": _timm("xcit_nano_12_p16_224", img_size=64, depth=2),
    "timm.coat": _timm("coat_tiny", 224),
    "timm.levit": _timm("levit_128s", 224, batch=2),
    "timm.poolformer": _timm("poolformer_s12"),
    "timm.mixer": _timm("mixer_s32_224", img_size=64),
    "timm.ghostnet": _timm("ghostnet_100"),
    "timm.dpn": _timm("dpn68", batch=2),
    "timm.pvt": _timm("pvt_v2_b0"),
    "timm.volo": _timm("volo_d1_224", 224),
    "timm.edgenext": _timm("edgenext_xx_small"),
    "timm.davit": _timm("davit_tiny"),
    "timm.focalnet": _timm("focalnet_tiny_srf"),
    "timm.twins": _timm("twins_svt_small", 224),
    "timm.regnet": _timm("regnetx_002", batch=2),
    "timm.gcvit": _timm("gcvit_xxtiny", 224),
    "timm.beit": _timm("beit_base_patch16_224", img_size=64, depth=2),
    "timm.eva": _timm("eva02_tiny_patch14_224", 56, img_size=56, depth=2),
    "timm.crossvit": _timm("crossvit_tiny_240", 240),
    "timm.densenet": _timm("densenet121", batch=2),
    "torchvision.resnet": _torchvision("resnet18"),
    "torchvision.densenet": _torchvision("densenet121"),
    "torchvision.mobilenet": _torchvision("mobilenet_v3_small"),
    "torchvision.shufflenet": _torchvision("shufflenet_v2_x0_5"),
    "torchvision.googlenet": _torchvision("googlenet", 96),
    "torchvision.swin": _torchvision("swin_v2_t"),
    "torchvision.vit": _torchvision("vit_b_32", 224),
    "torchvision.squeezenet": _torchvision("squeezenet1_0"),
    "torchvision.convnext": _torchvision("convnext_tiny"),
    "torchvision.efficientnet": _torchvision("efficientnet_b0"),
    "smp.unet": _segmentation("Unet"),
    "smp.unetplusplus": _segmentation("UnetPlusPlus"),
    "smp.fpn": _segmentation("FPN"),
    "smp.pan": _segmentation("PAN", 256),
    "smp.manet": _segmentation("MAnet"),
    "smp.linknet": _segmentation("Linknet"),
    "smp.deeplab": _segmentation("DeepLabV3Plus"),
    "vit_pytorch.vit": _vit("vit", "ViT", **_SMALL_VIT),
    "vit_pytorch.simple": _vit("simple_vit", "SimpleViT", **_SMALL_VIT),
    "vit_pytorch.deepvit": _vit("deepvit", "DeepViT", **_SMALL_VIT),
    "vit_pytorch.cait": _vit("cait", "CaiT", cls_depth=1, **_SMALL_VIT),
    "vit_pytorch.parallel": _vit("parallel_vit", "ViT", **_SMALL_VIT),
    "vit_pytorch.qk_norm": _vit("simple_vit_with_qk_norm", "SimpleViT", **_SMALL_VIT),
    "vit_pytorch.registers": _vit("simple_vit_with_register_tokens", "SimpleViT", **_SMALL_VIT),
    "vit_pytorch.small": _vit("vit_for_small_dataset", "ViT", **_SMALL_VIT),
    "vit_pytorch.rvt": _vit("rvt", "RvT", **_SMALL_VIT),
    "vit_pytorch.cvt": _vit("cvt", "CvT", num_classes=8),
    "vit_pytorch.t2t": _vit(
        "t2t", "T2TViT", dim=32, image_size=64, depth=2, heads=2, mlp_dim=64, num_classes=8
    ),
    "transformers.bert": _transformers("BertModel", "BertConfig", **_TEXT),
    "transformers.gpt2": _transformers(
        "GPT2LMHeadModel", "GPT2Config", vocab_size=64, n_embd=32, n_layer=2, n_head=2, n_positions=64
    ),
    "transformers.llama": _transformers("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=1, **_TEXT),
    "transformers.mistral": _transformers(
        "MistralForCausalLM", "MistralConfig", num_key_value_heads=1, **_TEXT
    ),
    "transformers.mixtral": _transformers(
        "MixtralForCausalLM", "MixtralConfig", num_key_value_heads=1, num_local_experts=2, **_TEXT
    ),
    "transformers.t5": _transformers(
        "T5EncoderModel", "T5Config", vocab_size=64, d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2
    ),
    "transformers.deberta": _transformers("DebertaV2Model", "DebertaV2Config", **_TEXT),
    "transformers.mamba": _transformers(
        "MambaForCausalLM", "MambaConfig", vocab_size=64, hidden_size=32, num_hidden_layers=2, state_size=4
    ),
    "transformers.vit": _transformers("ViTModel", "ViTConfig", _image(), **_PICTURE),
    "transformers.swin": _transformers(
        "SwinModel",
        "SwinConfig",
        _image(),
        image_size=64,
        patch_size=4,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[1, 2],
        window_size=4,
    ),
    "transformers.segformer": _transformers(
        "SegformerModel",
        "SegformerConfig",
        _image(),
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[2, 1],
        hidden_sizes=[16, 32],
        patch_sizes=[7, 3],
        strides=[4, 2],
        num_attention_heads=[1, 2],
        mlp_ratios=[2, 2],
    ),
    "transformers.funnel": _transformers(
        "FunnelModel",
        "FunnelConfig",
        vocab_size=64,
        block_sizes=[1, 1],
        d_model=32,
        n_head=2,
        d_head=16,
        d_inner=64,
    ),
    "transformers.bigbird": _transformers(
        "BigBirdModel", "BigBirdConfig", attention_type="original_full", **_TEXT
    ),
    "transformers.xlnet": _transformers(
        "XLNetModel", "XLNetConfig", vocab_size=64, d_model=32, n_layer=2, n_head=2, d_inner=64
    ),
    "transformers.beit": _transformers(
        "BeitModel", "BeitConfig", _image(), use_relative_position_bias=True, **_PICTURE
    ),
}

FRESH: dict[str, Model] = {
    "timm.deit3": _timm("deit3_small_patch16_224", img_size=64, depth=2),
    "timm.convmixer": _timm("convmixer_768_32", 32),
    "timm.cspdarknet": _timm("cspdarknet53", batch=2),
    "timm.efficientformer": _timm("efficientformer_l1", 224),
    "timm.fastvit": _timm("fastvit_t8"),
    "timm.fasternet": _timm("fasternet_t0"),
    "timm.hiera": _timm("hiera_tiny_224", 224),
    "timm.caformer": _timm("caformer_s18"),
    "timm.mvitv2": _timm("mvitv2_tiny", 224),
    "timm.repvit": _timm("repvit_m0_9"),
    "timm.rexnet": _timm("rexnet_100"),
    "timm.sequencer": _timm("sequencer2d_s", 224),
    "timm.tiny_vit": _timm("tiny_vit_5m_224", 224),
    "timm.swin_v2_cr": _timm("swinv2_cr_tiny_224", 224, embed_dim=24, depths=(1, 1), num_heads=(2, 2)),
    "timm.coatnet": _timm("coatnet_nano_rw_224", 224),
    "timm.inception_next": _timm("inception_next_tiny"),
    "transformers.roberta": _transformers("RobertaModel", "RobertaConfig", **_TEXT),
    "transformers.albert": _transformers("AlbertModel", "AlbertConfig", embedding_size=16, **_TEXT),
    "transformers.gemma2": _transformers(
        "Gemma2ForCausalLM", "Gemma2Config", num_key_value_heads=1, head_dim=16, **_TEXT
    ),
    "transformers.gpt_neo": _transformers(
        "GPTNeoModel",
        "GPTNeoConfig",
        vocab_size=64,
        hidden_size=32,
        num_layers=2,
        num_heads=2,
        attention_types=[[["global", "local"], 1]],
    ),
    "transformers.qwen2_moe": _transformers(
        "Qwen2MoeForCausalLM",
        "Qwen2MoeConfig",
        num_key_value_heads=1,
        num_experts=2,
        num_experts_per_tok=1,
        moe_intermediate_size=16,
        shared_expert_intermediate_size=16,
        **_TEXT,
    ),
    "transformers.dinov2": _transformers(
        "Dinov2Model",
        "Dinov2Config",
        _image(),
        image_size=64,
        patch_size=16,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
    ),
    "transformers.wav2vec2": _transformers(
        "Wav2Vec2Model",
        "Wav2Vec2Config",
        _given(input_values=(2, 4000)),
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
        apply_spec_augment=False,
        **_TEXT,
    ),
    "transformers.nystromformer": _transformers(
        "NystromformerModel", "NystromformerConfig", segment_means_seq_len=16, num_landmarks=4, **_TEXT
    ),
    "transformers.falcon": _transformers(
        "FalconModel",
        "FalconConfig",
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
    ),
    "transformers.convnextv2": _transformers(
        "ConvNextV2Model", "ConvNextV2Config", _image(), hidden_sizes=[16, 32], depths=[1, 1], num_stages=2
    ),
    "monai.unet": _monai(
        "UNet",
        _image(32, 1),
        spatial_dims=2,
        in_channels=1,
        out_channels=2,
        channels=(8, 16, 32),
        strides=(2, 2),
        num_res_units=2,
    ),
    "monai.swin_unetr": _monai(
        "SwinUNETR", _image(64, 1), in_channels=1, out_channels=2, feature_size=12, spatial_dims=2
    ),
    "monai.unetr": _monai(
        "UNETR",
        _image(32, 1, axes=3, batch=1),
        out_channels=2,
        hidden_size=48,
        num_heads=4,
        mlp_dim=64,
        feature_size=8,
        **_VIT_3D,
    ),
    "monai.segresnet": _monai("SegResNet", _image(32, 1), spatial_dims=2, init_filters=8),
    "monai.segresnet_vae": _monai(
        "SegResNetVAE",
        _image(32, 1),
        input_image_size=(32, 32),
        spatial_dims=2,
        init_filters=8,
        in_channels=1,
    ),
    "monai.dynunet": _monai(
        "DynUNet",
        _image(32, 1),
        spatial_dims=2,
        in_channels=1,
        out_channels=2,
        kernel_size=[3, 3, 3],
        strides=[1, 2, 2],
        upsample_kernel_size=[2, 2],
        filters=[8, 16, 32],
    ),
    "monai.attention_unet": _monai(
        "AttentionUnet",
        _image(32, 1),
        spatial_dims=2,
        in_channels=1,
        out_channels=2,
        channels=(8, 16),
        strides=(2, 2),
    ),
    "monai.vnet": _monai("VNet", _image(32, 1), spatial_dims=2),
    "monai.densenet": _monai("DenseNet121", _image(64, 1), spatial_dims=2, in_channels=1, out_channels=2),
    "monai.senet": _monai("SEResNet50", _image(64, 3), spatial_dims=2, in_channels=3),
    "monai.highresnet": _monai("HighResNet", _image(16, 1), spatial_dims=2),
    "monai.vit": _monai(
        "ViT",
        _image(32, 1, axes=3),
        in_channels=1,
        img_size=(32, 32, 32),
        patch_size=(16, 16, 16),
        hidden_size=48,
        mlp_dim=64,
        num_layers=2,
        num_heads=4,
    ),
    "monai.basic_unet_pp": _monai(
        "BasicUNetPlusPlus", _image(32, 1), spatial_dims=2, features=(8, 8, 16, 16, 32, 8)
    ),
    "monai.restormer": _monai(
        "Restormer", _image(32, 1), spatial_dims=2, dim=8, num_blocks=(1, 1, 1, 1), heads=(1, 1, 2, 2)
    ),
    "x_transformers.decoder": _x_transformer(),
    "x_transformers.rotary": _x_transformer(rotary_pos_emb=True, ff_glu=True, attn_qk_norm=True),
    "x_transformers.alibi": _x_transformer(alibi_pos_bias=True, attn_talking_heads=True, use_rmsnorm=True),
    "x_transformers.encoder": _x_transformer("Encoder", rel_pos_bias=True, ff_swish=True, gate_residual=True),
    "x_transformers.gated": _x_transformer(
        attn_gate_values=True, attn_on_attn=True, scale_residual=True, shift_tokens=1
    ),
    "diffusers.unet": _diffusers(
        "UNet2DModel",
        _given(sample=(2, 3, 16, 16), timestep=3),
        sample_size=16,
        block_out_channels=(16, 32),
        norm_num_groups=8,
        layers_per_block=1,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=8,
    ),
    "diffusers.unet_condition": _diffusers(
        "UNet2DConditionModel",
        _given(sample=(2, 4, 16, 16), timestep=3, encoder_hidden_states=(2, 5, 16)),
        sample_size=16,
        block_out_channels=(16, 32),
        norm_num_groups=8,
        layers_per_block=1,
        cross_attention_dim=16,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    ),
    "diffusers.autoencoder": _diffusers(
        "AutoencoderKL", _image(16), block_out_channels=(16,), norm_num_groups=8, latent_channels=4
    ),
    "diffusers.vq": _diffusers("VQModel", _image(16), block_out_channels=(16,), norm_num_groups=8),
    "diffusers.sd3": _diffusers(
        "SD3Transformer2DModel",
        _given(
            hidden_states=(2, 4, 8, 8),
            encoder_hidden_states=(2, 5, 16),
            pooled_projections=(2, 16),
            timestep=3,
        ),
        sample_size=8,
        patch_size=2,
        in_channels=4,
        num_layers=2,
        attention_head_dim=8,
        num_attention_heads=2,
        joint_attention_dim=16,
        caption_projection_dim=16,
        pooled_projection_dim=16,
        out_channels=4,
        pos_embed_max_size=8,
    ),
    "diffusers.transformer": _diffusers(
        "Transformer2DModel",
        _given(hidden_states=(2, 16, 8, 8)),
        num_attention_heads=2,
        attention_head_dim=8,
        in_channels=16,
        norm_num_groups=8,
    ),
    "diffusers.tiny": _diffusers(
        "AutoencoderTiny",
        _image(16),
        encoder_block_out_channels=(8, 8),
        decoder_block_out_channels=(8, 8),
        num_encoder_blocks=(1, 1),
        num_decoder_blocks=(1, 1),
    ),
    "diffusers.unet_1d": _diffusers("UNet1DModel", _given(sample=(2, 2, 64), timestep=3), sample_size=64),
    "diffusers.unet_3d": _diffusers(
        "UNet3DConditionModel",
        _given(sample=(1, 4, 2, 16, 16), timestep=3, encoder_hidden_states=(1, 5, 16)),
        sample_size=16,
        block_out_channels=(16, 32),
        norm_num_groups=8,
        layers_per_block=1,
        cross_attention_dim=16,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
        up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"),
    ),
}

SETS: dict[str, dict[str, Model]] = {"own": OWN, "known": KNOWN, "fresh": FRESH}
