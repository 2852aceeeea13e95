import torch

from clip import clip_weights
from losses import critic_loss, generator_loss


class WGANTrainer:
    def __init__(self, gen, critic, lr=5e-5, clip=0.01):
        self.gen = gen
        self.critic = critic
        self.clip = clip
        self.opt_g = torch.optim.RMSprop(gen.parameters(), lr=lr)
        self.opt_d = torch.optim.RMSprop(critic.parameters(), lr=lr)

    def train_step(self, real):
        z = torch.randn(real.size(0), self.gen.z_dim)
        fake = self.gen(z)
        fake_score = self.critic(fake)
        g_loss = generator_loss(fake_score)

        d_loss = critic_loss(self.critic(real), self.critic(fake.detach()))
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()  # BUG
        # the generator's score was computed before the critic moved

        self.opt_g.zero_grad()
        g_loss.backward()
        self.opt_g.step()
        clip_weights(self.critic, self.clip)
        return d_loss.item(), g_loss.item()
