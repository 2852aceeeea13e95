import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, cfg):
        super(Attention, self).__init__()
        n = cfg.hidden_dim
        self.is_coverage = cfg.is_coverage
        self.W_h = nn.Linear(n, n, bias=False)
        self.decode_proj = nn.Linear(n, n)
        if cfg.is_coverage:
            self.W_c = nn.Linear(1, n, bias=False)
        self.v = nn.Linear(n, 1, bias=False)

    def forward(self, s_t, enc_out, enc_mask, coverage):
        b, t_k, n = enc_out.size()
        feat = self.W_h(enc_out) + self.decode_proj(s_t).unsqueeze(1).expand(b, t_k, n)
        if self.is_coverage:
            feat = feat + self.W_c(coverage.view(-1, 1)).view(b, t_k, n)
        scores = self.v(torch.tanh(feat)).view(-1, t_k)
        attn = F.softmax(scores, dim=1) * enc_mask
        attn = attn / attn.sum(1, keepdim=True)
        c_t = torch.bmm(attn.unsqueeze(1), enc_out).view(-1, n)
        return c_t, attn


class Summarizer(nn.Module):
    def __init__(self, cfg):
        super(Summarizer, self).__init__()
        self.cfg = cfg
        self.emb = nn.Embedding(cfg.vocab_size, cfg.emb_dim)
        self.enc = nn.GRU(cfg.emb_dim, cfg.hidden_dim, batch_first=True)
        self.dec = nn.GRUCell(cfg.emb_dim + cfg.hidden_dim, cfg.hidden_dim)
        self.attention = Attention(cfg)
        self.out = nn.Linear(2 * cfg.hidden_dim, cfg.vocab_size)

    def forward(self, src, mask, tgt):
        enc_out, h = self.enc(self.emb(src))
        s, c = h[0], torch.zeros_like(h[0])
        coverage = torch.zeros_like(mask)
        losses = []
        for i in range(tgt.size(1) - 1):
            s = self.dec(torch.cat([self.emb(tgt[:, i]), c], 1), s)
            c, attn = self.attention(s, enc_out, mask, coverage)
            step = F.cross_entropy(self.out(torch.cat([s, c], 1)), tgt[:, i + 1])
            if self.cfg.is_coverage:
                cov_loss = torch.sum(torch.min(attn, coverage.clone()), 1).mean()
                step = step + self.cfg.cov_loss_wt * cov_loss
                coverage += attn  # BUG
            losses.append(step)
        return torch.stack(losses).mean()
