from .client import Client
from .server import Server
