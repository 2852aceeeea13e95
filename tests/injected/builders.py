"""How small models of packages are built, and what they are called with."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock


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


def made(module: str, name: str, *args: Any, **options: Any) -> Callable[[], Any]:
    return lambda: getattr(load(module), name)(*args, **options)


def image(size: int = 64, channels: int = 3, batch: int = 2, axes: int = 2, **more: Any) -> Callable[[], Any]:
    def inputs() -> Any:
        import torch

        return (torch.randn(batch, channels, *[size] * axes),), more

    return inputs


def tokens(length: int = 16, words: int = 60) -> Callable[[], Any]:
    def inputs() -> Any:
        import torch

        return (torch.randint(0, words, (2, length)),), {}

    return inputs


def given(**shapes: tuple[int, ...] | int) -> Callable[[], Any]:
    """Keyword arguments: a shape stands for a random tensor, a number for a time step."""

    def inputs() -> Any:
        import torch

        return (), {
            name: torch.tensor([shape]) if isinstance(shape, int) else torch.randn(*shape)
            for name, shape in shapes.items()
        }

    return inputs


def arguments(make: Callable[[Any], tuple[Any, ...]]) -> Callable[[], Any]:
    """Positional arguments, made with torch when they are asked for."""

    def inputs() -> Any:
        import torch

        return make(torch), {}

    return inputs


def timm_model(name: str, size: int = 64, batch: int = 1, **options: Any) -> Model:
    return Model(
        "timm", made("timm", "create_model", name, pretrained=False, **options), image(size, batch=batch)
    )


def torchvision_model(name: str, size: int = 64) -> Model:
    return Model("torchvision", made("torchvision.models", "get_model", name, weights=None), image(size))


def segmentation_model(name: str, size: int = 64) -> Model:
    make = made("segmentation_models_pytorch", name, encoder_name="resnet18", encoder_weights=None)
    return Model("segmentation_models_pytorch", make, image(size))


def vit_model(module: str, name: str, inputs: Callable[[], Any] | None = None, **options: Any) -> Model:
    return Model("vit_pytorch", made(f"vit_pytorch.{module}", name, **options), inputs or image())


def transformers_model(
    name: str, config: str, inputs: Callable[[], Any] | None = None, **options: Any
) -> Model:
    def make() -> Any:
        package = load("transformers")
        return getattr(package, name)(getattr(package, config)(**options))

    return Model("transformers", make, inputs or tokens())


def monai_model(name: str, inputs: Callable[[], Any], module: str = "", **options: Any) -> Model:
    return Model("monai", made("monai.networks.nets" + module, name, **options), inputs)


def diffusers_model(name: str, inputs: Callable[[], Any], **options: Any) -> Model:
    return Model("diffusers", made("diffusers", name, **options), inputs)


def x_transformer_model(layers: str = "Decoder", **options: Any) -> Model:
    def make() -> Any:
        package = load("x_transformers")
        attn = getattr(package, layers)(dim=32, depth=2, heads=2, attn_dim_head=16, **options)
        return package.TransformerWrapper(num_tokens=60, max_seq_len=32, attn_layers=attn)

    return Model("x_transformers", make, tokens())


def package_model(package: str, path: str, inputs: Callable[[], Any], *args: Any, **options: Any) -> Model:
    """A class of a package: `path` is its module and its name, with a colon between them."""
    module, _, name = path.partition(":")
    return Model(package, made(module, name, *args, **options), inputs)


def own_model(module: str, name: str, inputs: Callable[[], Any], *args: Any, **options: Any) -> Model:
    return Model("models", made(f"{__package__}.models.{module}", name, *args, **options), inputs)


TEXT = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
SMALL_VIT = {
    "image_size": 64,
    "patch_size": 16,
    "num_classes": 8,
    "dim": 32,
    "depth": 2,
    "heads": 2,
    "mlp_dim": 64,
}
PICTURE = {
    "image_size": 64,
    "patch_size": 16,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
VIT_3D = {"img_size": (32, 32, 32), "in_channels": 1}
VISION_TOWER = {"layers": 2, "width": 32, "head_width": 16, "patch_size": 8, "image_size": 32}
TEXT_TOWER = {"context_length": 12, "vocab_size": 64, "width": 32, "heads": 2, "layers": 2}
SEQUENCE = arguments(lambda torch: (torch.randn(2, 12, 32),))
