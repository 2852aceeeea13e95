"""Lists the GPUs that a prediction can be made for, with their memory and compute capability."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU: its name, its memory in GiB, its compute capability."""

    name: str
    memory: int
    capability: tuple[int, int]

    @property
    def flash(self) -> bool:
        """Whether PyTorch's flash attention runs there: compute capability 8.0 and up."""
        return self.capability >= (8, 0)


DEVICES = {
    device.name: device
    for device in (
        Device("t4", 16, (7, 5)),
        Device("v100", 16, (7, 0)),
        Device("v100-32", 32, (7, 0)),
        Device("rtx3090", 24, (8, 6)),
        Device("rtx4090", 24, (8, 9)),
        Device("rtx5090", 32, (12, 0)),
        Device("l4", 24, (8, 9)),
        Device("a10g", 24, (8, 6)),
        Device("l40s", 48, (8, 9)),
        Device("a100", 40, (8, 0)),
        Device("a100-80", 80, (8, 0)),
        Device("h100", 80, (9, 0)),
        Device("h200", 141, (9, 0)),
        Device("b200", 192, (10, 0)),
    )
}
DEFAULT = "a100"
