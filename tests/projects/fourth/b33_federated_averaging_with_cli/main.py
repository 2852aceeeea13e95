import torch

from fed.client import Client
from fed.data import split_non_iid
from fed.model import make_model
from fed.selection import SELECTORS
from fed.server import Server

SETUP = {"clients": 4, "rounds": 5, "selector": "power_of_choice", "take": 2, "lr": 0.05, "prox": 0.01}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    shards = split_non_iid(SETUP["clients"], n=40, dim=6)
    clients = [Client(i, make_model(6), s, SETUP["lr"], SETUP["prox"]) for i, s in enumerate(shards)]
    server = Server(make_model(6), clients, SELECTORS[SETUP["selector"]](SETUP["take"]))
    for r in range(SETUP["rounds"]):
        report = server.round()
        print(r, report)
    server.close()


if __name__ == "__main__":
    main()
