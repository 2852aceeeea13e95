from types import SimpleNamespace


def default_config(**kw):
    cfg = dict(hidden_dim=16, emb_dim=12, vocab_size=40, lr=0.15, adagrad_init_acc=0.1,
               max_grad_norm=2.0, is_coverage=False, cov_loss_wt=1.0)
    cfg.update(kw)
    return SimpleNamespace(**cfg)
