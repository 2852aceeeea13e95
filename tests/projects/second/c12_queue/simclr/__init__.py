from .bank import MemoryBank
from .model import InstanceModel
