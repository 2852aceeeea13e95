from .model import CycleGANModel
