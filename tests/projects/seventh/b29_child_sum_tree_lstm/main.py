import torch
import torch.nn as nn
import torch.nn.functional as F
from tree import parse


class ChildSumTreeLSTM(nn.Module):
    def __init__(self, vocab, emb_dim=8, mem_dim=12, n_cls=3):
        super(ChildSumTreeLSTM, self).__init__()
        self.vocab = vocab
        self.mem_dim = mem_dim
        self.emb = nn.Embedding(len(vocab), emb_dim)
        self.ioux = nn.Linear(emb_dim, 3 * mem_dim)
        self.iouh = nn.Linear(mem_dim, 3 * mem_dim)
        self.fx = nn.Linear(emb_dim, mem_dim)
        self.fh = nn.Linear(mem_dim, mem_dim)
        self.out = nn.Linear(mem_dim, n_cls)

    def embed(self, node):
        if node.word is None:
            return torch.zeros(1, self.emb.embedding_dim)
        return self.emb(torch.tensor([self.vocab[node.word]]))

    def node_forward(self, x, child_states):
        c_in = 0.
        for h, c in child_states:
            f = torch.sigmoid(self.fx(x) + self.fh(h))
            c_in = c_in + f * c
        if child_states:
            h_sum = child_states[0][0]
            for h, _ in child_states[1:]:
                h_sum += h  # BUG
        else:
            h_sum = torch.zeros(1, self.mem_dim)
        i, o, u = torch.chunk(self.ioux(x) + self.iouh(h_sum), 3, dim=1)
        c = torch.sigmoid(i) * torch.tanh(u) + c_in
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, c

    def forward(self, tree):
        for node in tree.postorder():
            node.state = self.node_forward(self.embed(node), [k.state for k in node.children])
        return self.out(tree.state[0])


corpus = ["(2 (1 the) (2 (1 movie) (2 (1 was) (2 great))))",
          "(0 (1 the) (0 (1 plot) (0 (1 was) (0 awful))))",
          "(1 (1 it) (1 (1 was) (1 okay)))"]
trees = [parse(s) for s in corpus]
vocab = {}
for t in trees:
    for n in t.postorder():
        if n.word is not None:
            vocab.setdefault(n.word, len(vocab))

torch.manual_seed(0)
model = ChildSumTreeLSTM(vocab)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
for epoch in range(5):
    total = 0
    for t in trees:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(t), torch.tensor([t.label]))
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, total)
