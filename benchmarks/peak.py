"""How close the counted peak of live bytes comes to the profiler's memory events, summed over a run, on the CPU.

`python -m benchmarks.peak`, in a checkout, with the extra `dev` installed.
"""

from __future__ import annotations

from tests.runtime import models
from tests.runtime.test_peak import ATTENTION, counted, profiled, step_of

TARGETS = {
    "naive attention": (models.Naive, ATTENTION),
    "fused attention": (models.Fused, ATTENTION),
    "ViT-tiny": (models.Vision, "image=f32[2,3,224,224]"),
}


def main() -> None:
    for name, (target, inputs) in TARGETS.items():
        for train in (True, False):
            step = step_of(target, inputs, train)
            ours, theirs = counted(step).total, profiled(step)
            what = "training" if train else "forward"
            told = f"{ours / 2**20:8.2f} MiB, profiler {theirs / 2**20:8.2f} MiB"
            print(f"{name:16} {what:9} {told}  {100 * (ours / theirs - 1):+.2f}%")


if __name__ == "__main__":
    main()
