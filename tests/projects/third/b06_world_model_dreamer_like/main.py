import torch
from wm import RSSM, Config


class EpisodeBuffer:
    def __init__(self, cfg, capacity=16):
        self.obs = torch.zeros(capacity, cfg.seq_len, cfg.obs_dim)
        self.act = torch.zeros(capacity, cfg.seq_len, cfg.act_dim)
        self.rew = torch.zeros(capacity, cfg.seq_len)
        for i in range(capacity):
            o = torch.randn(cfg.obs_dim)
            for t in range(cfg.seq_len):
                a = torch.randn(cfg.act_dim)
                o *= 0.9
                o[:cfg.act_dim] += 0.3 * a
                self.obs[i, t] = o
                self.act[i, t] = a
                self.rew[i, t] = -o.norm()

    def sample(self, n):
        idx = torch.randint(0, len(self.obs), (n,))
        return self.obs[idx], self.act[idx], self.rew[idx]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = Config()
    model = RSSM(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, eps=1e-5)
    buf = EpisodeBuffer(cfg)
    for step in range(cfg.steps):
        loss, metrics = model.loss(*buf.sample(cfg.batch_size))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 100.0)
        opt.step()
        print(step, metrics)


if __name__ == "__main__":
    main()
