import torch


def data_term(model, x, y, opt):
    return (model.predict(x) - y).pow(2).mean() / (2 * opt.noise)


def kl_term(model, x, y, opt):
    return opt.beta * model.kl() / len(y)


TERMS = {"data": data_term, "kl": kl_term}


def fit(model, bundle, x, y, opt):
    """Accumulates each term's gradient separately so that both can be monitored."""
    model.train()
    for _ in range(opt.steps):
        bundle.zero_grad()
        terms = {}
        for name, fn in TERMS.items():
            loss = fn(model, x, y, opt)
            loss.backward(retain_graph=True)
            terms[name] = loss.item()
        torch.nn.utils.clip_grad_norm_(bundle.params(), 5.0)
        bundle.step()
        with torch.no_grad():
            model.log_s.clamp_(-5, 1)
        yield terms
