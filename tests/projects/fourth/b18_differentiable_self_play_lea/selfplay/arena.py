import torch


class Arena:
    def __init__(self, game, league, elo, lr):
        self.game, self.league, self.elo = game, league, elo
        self.opt = torch.optim.Adam(league.learner.parameters(), lr=lr)
        self.round = 0

    def objective(self, opponent, n):
        cost, last = torch.zeros(()), None
        for pos in self.game.play(self.league.learner, opponent, n):
            last = self.game.distance(pos)
            cost += last.mean() / self.game.turns
        return cost, last.detach() < 1.5

    def learn(self, cost):
        self.opt.zero_grad()
        cost.backward()
        self.opt.step()

    def play_round(self, n):
        opponent = self.league.opponent(self.round)
        cost, wins = self.objective(opponent, n)
        self.elo.record(wins)
        self.learn(cost)
        self.round += 1
        return {"cost": round(cost.item(), 4), "elo": round(self.elo.value, 1)}
