import torch
from config import default_config
from model import Summarizer

torch.manual_seed(123)
config = default_config(is_coverage=True)
model = Summarizer(config)
optimizer = torch.optim.Adagrad(model.parameters(), lr=config.lr,
                                initial_accumulator_value=config.adagrad_init_acc)
for it in range(5):
    src = torch.randint(2, 40, (4, 10))
    mask = torch.ones(4, 10)
    mask[2:, 7:] = 0
    tgt = src[:, :5]
    optimizer.zero_grad()
    loss = model(src, mask, tgt)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), config.max_grad_norm)
    optimizer.step()
    print('steps %d, loss %f' % (it, loss.item()))
