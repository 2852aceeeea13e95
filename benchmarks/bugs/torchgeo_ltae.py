"""An LTAE, with its default dropout, cannot be trained."""

import importlib.util
from pathlib import Path

import torch

# The one file, for the package itself asks for many others.
package = importlib.util.find_spec("torchgeo").submodule_search_locations[0]
spec = importlib.util.spec_from_file_location("ltae", Path(package) / "models/ltae.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

model = module.LTAE().train()
model(torch.randn(2, 24, 128)).sum().backward()
