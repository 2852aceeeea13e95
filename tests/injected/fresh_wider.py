"""More models that figures are reported by: a few each of many packages, so that no package dominates the set."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .builders import SEQUENCE, TEXT_TOWER, VISION_TOWER, Model, arguments, image, load, made, package_model

_DIFFUSION = {"dim": 8, "dim_mults": (1, 2), "attn_heads": 2, "attn_dim_head": 8}
_PERCEIVER = {
    "num_freq_bands": 3,
    "max_freq": 8.0,
    "depth": 2,
    "num_latents": 8,
    "latent_dim": 32,
    "latent_heads": 2,
    "latent_dim_head": 16,
    "num_classes": 8,
}
_RESTORATION: dict[str, Any] = {"img_size": 16, "embed_dim": 16, "num_heads": [2, 2]}
_PIXELS_LAST = arguments(lambda torch: (torch.randn(2, 16, 16, 3),))
_WORDS = arguments(lambda torch: (torch.randint(4, 24, (2, 12)),))
_PICTURE_AND_TEXT = arguments(lambda torch: (torch.randn(2, 3, 32, 32), torch.randint(1, 60, (2, 12))))


def _clip(name: str, **options: Any) -> Model:
    towers = {"embed_dim": 32, "vision_cfg": VISION_TOWER, "text_cfg": TEXT_TOWER}
    return package_model("open_clip", f"open_clip:{name}", _PICTURE_AND_TEXT, **towers, **options)


def _coca() -> Model:
    make = made(
        "open_clip",
        "CoCa",
        embed_dim=32,
        vision_cfg={**VISION_TOWER, "attentional_pool": True, "attn_pooler_heads": 2, "output_tokens": True},
        text_cfg={**TEXT_TOWER, "embed_cls": True, "output_tokens": True},
        multimodal_cfg=TEXT_TOWER,
    )
    return Model("open_clip", make, _PICTURE_AND_TEXT)


def _kornia(path: str, inputs: Any = None, *args: Any, **options: Any) -> Model:
    return package_model("kornia", f"kornia.{path}", inputs or image(32), *args, **options)


def _matching_transformer(attention: str) -> Model:
    config = {
        "d_model": 32,
        "d_ffn": 32,
        "nhead": 2,
        "layer_names": ["self", "cross"],
        "attention": attention,
        "temp_bug_fix": True,
    }
    both = arguments(lambda torch: (torch.randn(2, 12, 32), torch.randn(2, 12, 32)))
    return _kornia("feature.loftr.loftr_module.transformer:LocalFeatureTransformer", both, config)


def _whisper() -> Model:
    def make() -> Any:
        package = load("whisper.model")
        sizes = {"mels": 20, "audio_ctx": 16, "audio_state": 32, "audio_head": 2, "audio_layer": 2}
        sizes |= {"vocab": 60, "text_ctx": 16, "text_state": 32, "text_head": 2, "text_layer": 2}
        return package.Whisper(package.ModelDimensions(**{f"n_{name}": size for name, size in sizes.items()}))

    heard = arguments(lambda torch: (torch.randn(2, 20, 32), torch.randint(0, 60, (2, 12))))
    return Model("whisper", make, heard)


def _msa_transformer() -> Model:
    def make() -> Any:
        sizes = {"embed_dim": 32, "ffn_embed_dim": 64, "attention_heads": 2, "layers": 2}
        rates = {"dropout": 0.1, "attention_dropout": 0.1, "activation_dropout": 0.1}
        options = SimpleNamespace(
            **sizes, **rates, max_positions=32, max_tokens=2**14, embed_positions_msa=True
        )
        alphabet = load("esm").data.Alphabet.from_architecture("msa_transformer")
        return load("esm.model.msa_transformer").MSATransformer(options, alphabet)

    return Model("esm", make, arguments(lambda torch: (torch.randint(4, 24, (2, 3, 12)),)))


def _graph_model(name: str, **options: Any) -> Model:
    graph = arguments(lambda torch: (torch.randn(10, 8), torch.randint(0, 10, (2, 40))))
    sizes = {"in_channels": 8, "hidden_channels": 16, "out_channels": 4, **options}
    return package_model("torch_geometric", f"torch_geometric.nn:{name}", graph, **sizes)


def _attentive_fp() -> Model:
    molecule = arguments(
        lambda torch: (
            torch.randn(10, 8),
            torch.randint(0, 10, (2, 40)),
            torch.randn(40, 6),
            torch.arange(10) // 5,
        )
    )
    sizes = {"in_channels": 8, "hidden_channels": 16, "out_channels": 4, "edge_dim": 6}
    path = "torch_geometric.nn:AttentiveFP"
    return package_model("torch_geometric", path, molecule, num_layers=2, num_timesteps=2, **sizes)


def _speech(path: str, *shape: int, **options: Any) -> Model:
    path = f"speechbrain.lobes.models.{path}"
    return package_model("speechbrain", path, arguments(lambda torch: (torch.randn(*shape),)), **options)


def _diffusion(path: str, *shape: int, **options: Any) -> Model:
    noisy = arguments(lambda torch: (torch.randn(*shape), torch.tensor([3.0, 5.0])))
    path = f"denoising_diffusion_pytorch.{path}"
    return package_model("denoising_diffusion_pytorch", path, noisy, **options)


def _classifier(name: str, size: int = 224, batch: int = 1, **options: Any) -> Model:
    make = made("pytorchcv.model_provider", "get_model", name, pretrained=False, **options)
    return Model("pytorchcv", make, image(size, batch=batch))


def _efficientnet(name: str) -> Model:
    def make() -> Any:
        return load("efficientnet_pytorch").EfficientNet.from_name(name, num_classes=8)

    return Model("efficientnet_pytorch", make, image(64))


def _encodec(path: str, *shape: int, **options: Any) -> Model:
    given = arguments(lambda torch: (torch.randn(*shape),))
    return package_model("encodec", f"encodec.modules.{path}", given, **options)


def _restoration(path: str, size: int = 16, **options: Any) -> Model:
    return package_model("spandrel", f"spandrel.architectures.{path}", image(size), **options)


def _segmentation(name: str, **options: Any) -> Model:
    def make() -> Any:
        from torch import nn

        unet = getattr(load("dynamic_network_architectures.architectures.unet"), name)
        norm = {"norm_op": nn.InstanceNorm2d, "norm_op_kwargs": {"affine": True}}
        return unet(1, 3, (8, 16, 32), nn.Conv2d, 3, (1, 2, 2), nonlin=nn.LeakyReLU, **norm, **options)

    return Model("dynamic_network_architectures", make, image(32, 1))


def _tabnet(name: str, **options: Any) -> Model:
    def make() -> Any:
        import torch

        network = getattr(load("pytorch_tabnet.tab_network"), name)
        return network(8, group_attention_matrix=torch.eye(8), virtual_batch_size=8, **options)

    return Model("pytorch_tabnet", make, arguments(lambda torch: (torch.randn(16, 8),)))


WIDER: dict[str, Model] = {
    "open_clip.clip": _clip("CLIP"),
    "open_clip.custom_text": _clip("CustomTextCLIP", init_logit_bias=-10.0),
    "open_clip.coca": _coca(),
    "open_clip.resnet": package_model(
        "open_clip",
        "open_clip.modified_resnet:ModifiedResNet",
        image(64),
        layers=[1, 1, 1, 1],
        output_dim=16,
        heads=4,
        image_size=64,
        width=8,
    ),
    "kornia.vit": _kornia("models.vit:VisionTransformer", image_size=32, embed_dim=32, depth=2, num_heads=2),
    "kornia.mobile_vit": _kornia("models.vit_mobile:MobileViT", image(64)),
    "kornia.tiny_vit": _kornia(
        "models.tiny_vit:TinyViT",
        image(64),
        img_size=64,
        num_classes=8,
        embed_dims=(16, 32, 32, 32),
        depths=(1, 1, 1, 1),
        num_heads=(1, 2, 2, 2),
        window_sizes=(4, 4, 4, 2),
    ),
    "kornia.dense": _kornia(
        "models.rrdbnet:RRDBNet", image(16), 3, 3, num_feat=8, num_block=1, num_grow_ch=4
    ),
    "kornia.edges": _kornia("models.dexined:DexiNed", image(64, batch=1), pretrained=False),
    "kornia.key_points": _kornia("feature:KeyNet", image(32, 1), pretrained=False),
    "kornia.linear_attention": _matching_transformer("linear"),
    "kornia.full_attention": _matching_transformer("full"),
    "whisper.whisper": _whisper(),
    "esm.esm2": package_model("esm", "esm:ESM2", _WORDS, num_layers=2, embed_dim=32, attention_heads=2),
    "esm.msa": _msa_transformer(),
    "segment_anything.image_encoder": package_model(
        "segment_anything",
        "segment_anything.modeling:ImageEncoderViT",
        image(64),
        img_size=64,
        embed_dim=32,
        depth=2,
        num_heads=2,
        out_chans=16,
        use_rel_pos=True,
        window_size=3,
        global_attn_indexes=(1,),
    ),
    "segment_anything.two_way": package_model(
        "segment_anything",
        "segment_anything.modeling:TwoWayTransformer",
        arguments(lambda t: (t.randn(2, 32, 4, 4), t.randn(2, 32, 4, 4), t.randn(2, 5, 32))),
        depth=2,
        embedding_dim=32,
        num_heads=2,
        mlp_dim=64,
    ),
    "torch_geometric.gcn": _graph_model("GCN", num_layers=2),
    "torch_geometric.gat": _graph_model("GAT", num_layers=2, v2=True, heads=2, norm="batch_norm"),
    "torch_geometric.sage": _graph_model("GraphSAGE", num_layers=2, jk="lstm"),
    "torch_geometric.gin": _graph_model("GIN", num_layers=2, norm="layer_norm"),
    "torch_geometric.unet": _graph_model("GraphUNet", depth=2),
    "torch_geometric.attentive_fp": _attentive_fp(),
    "speechbrain.ecapa": _speech(
        "ECAPA_TDNN:ECAPA_TDNN",
        *(2, 20, 24),
        input_size=24,
        lin_neurons=16,
        channels=[16, 16, 16, 16, 48],
        attention_channels=8,
        res2net_scale=4,
        se_channels=8,
    ),
    "speechbrain.conformer": _speech(
        "transformer.Conformer:ConformerEncoder",
        *(2, 12, 32),
        num_layers=2,
        d_model=32,
        d_ffn=64,
        nhead=2,
        kernel_size=5,
        attention_type="regularMHA",
    ),
    "speechbrain.branchformer": _speech(
        "transformer.Branchformer:BranchformerEncoder",
        *(2, 12, 32),
        num_layers=2,
        d_model=32,
        nhead=2,
        kernel_size=5,
        csgu_linear_units=64,
        attention_type="regularMHA",
    ),
    "speechbrain.mask_net": _speech(
        "conv_tasnet:MaskNet", *(2, 8, 20), N=8, B=8, H=16, P=3, X=2, R=2, C=2, norm_type="gLN"
    ),
    "denoising_diffusion.unet": _diffusion("denoising_diffusion_pytorch:Unet", *(2, 3, 16, 16), **_DIFFUSION),
    "denoising_diffusion.unet_1d": _diffusion(
        "denoising_diffusion_pytorch_1d:Unet1D", *(2, 3, 32), channels=3, **_DIFFUSION
    ),
    "denoising_diffusion.karras": _diffusion(
        "karras_unet:KarrasUnet",
        *(2, 4, 16, 16),
        image_size=16,
        dim=16,
        dim_max=32,
        num_downsamples=2,
        num_blocks_per_stage=1,
        attn_res=(8,),
        attn_dim_head=8,
        fourier_dim=8,
    ),
    "perceiver.perceiver": package_model(
        "perceiver_pytorch", "perceiver_pytorch:Perceiver", _PIXELS_LAST, **_PERCEIVER
    ),
    "perceiver.gated": package_model(
        "perceiver_pytorch", "perceiver_pytorch.gated:Perceiver", _PIXELS_LAST, **_PERCEIVER
    ),
    "perceiver.language": package_model(
        "perceiver_pytorch",
        "perceiver_pytorch.perceiver_io:PerceiverLM",
        _WORDS,
        dim=32,
        num_tokens=60,
        max_seq_len=16,
        depth=2,
        num_latents=8,
        latent_dim=32,
        latent_heads=2,
    ),
    "conformer.conformer": package_model(
        "conformer", "conformer:Conformer", SEQUENCE, 32, depth=2, dim_head=16, heads=2, conv_kernel_size=5
    ),
    "conformer.causal": package_model(
        "conformer",
        "conformer.conformer:ConformerBlock",
        SEQUENCE,
        dim=32,
        dim_head=16,
        heads=2,
        conv_kernel_size=5,
        conv_causal=True,
    ),
    "pytorchcv.dla": _classifier("dla34"),
    "pytorchcv.hrnet": _classifier("hrnet_w18_small_v1"),
    "pytorchcv.vovnet": _classifier("vovnet27s"),
    "pytorchcv.mixnet": _classifier("mixnet_s"),
    "pytorchcv.octave": _classifier("octresnet10_ad2"),
    "pytorchcv.dabnet": _classifier("dabnet_cityscapes", 64, 2, in_size=(64, 64)),
    "efficientnet.b0": _efficientnet("efficientnet-b0"),
    "encodec.encoder": _encodec("seanet:SEANetEncoder", *(2, 1, 320), dimension=16, n_filters=4),
    "encodec.decoder": _encodec("seanet:SEANetDecoder", *(2, 16, 6), dimension=16, n_filters=4),
    "encodec.transformer": _encodec(
        "transformer:StreamingTransformerEncoder", *(2, 12, 32), dim=32, num_heads=2, num_layers=2
    ),
    "spandrel.swinir": _restoration(
        "SwinIR.__arch.SwinIR:SwinIR", depths=[2, 2], window_size=8, **_RESTORATION
    ),
    "spandrel.hat": _restoration(
        "HAT.__arch.HAT:HAT", squeeze_factor=4, depths=[2, 2], window_size=8, **_RESTORATION
    ),
    "spandrel.dat": _restoration("DAT.__arch.DAT:DAT", depth=[2, 2], split_size=[4, 8], **_RESTORATION),
    "spandrel.nafnet": _restoration(
        "NAFNet.__arch.NAFNet_arch:NAFNet", 32, width=8, enc_blk_nums=[1, 1], dec_blk_nums=[1, 1]
    ),
    "spandrel.omnisr": _restoration("OmniSR.__arch.OmniSR:OmniSR", 32, num_feat=16, up_scale=2),
    "spandrel.retinexformer": _restoration(
        "RetinexFormer.__arch.retinexformer_arch:RetinexFormer", 32, n_feat=8, stage=1
    ),
    "nnunet.plain": _segmentation(
        "PlainConvUNet", n_conv_per_stage=1, num_classes=2, n_conv_per_stage_decoder=1
    ),
    "nnunet.residual": _segmentation(
        "ResidualEncoderUNet", n_blocks_per_stage=1, num_classes=2, n_conv_per_stage_decoder=1
    ),
    "tabnet.network": _tabnet("TabNet", output_dim=4),
    "tabnet.pretraining": _tabnet("TabNetPretraining"),
}
