from .modules import InPlaceABN, STEBinarize
