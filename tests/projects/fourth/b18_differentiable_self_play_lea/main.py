import torch

from selfplay.arena import Arena
from selfplay.game import PursuitGame
from selfplay.league import League
from selfplay.players import Player
from selfplay.rating import Elo

HP = dict(rounds=10, batch=8, turns=4, lr=0.02, pool=2, promote_at=0.5)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    game = PursuitGame(turns=HP["turns"])
    league = League(Player.fresh(), pool=HP["pool"])
    elo = Elo(k=16, threshold=HP["promote_at"])
    arena = Arena(game, league, elo, lr=HP["lr"])
    elo.subscribe(league.promote)
    for r in range(HP["rounds"]):
        s = arena.play_round(HP["batch"])
        if r % 3 == 0:
            print(r, s)
    print("promotions", league.promotions)


if __name__ == "__main__":
    main()
