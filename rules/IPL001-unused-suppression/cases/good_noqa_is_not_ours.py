"""`# noqa` may be meant for another tool."""

import torch  # noqa: E402

x = torch.ones(3)  # noqa
x += 1  # noqa: IPL101
