import torch

from seq.builder import build_model
from seq.stream import CharStream
from seq.tbptt import TBPTTTrainer

TEXT = "the quick brown fox jumps over the lazy dog and runs away from the cat " * 6

CFG = dict(
    model=dict(cell="lstm", layers=2, hidden=16, emb=8),
    train=dict(window=8, lr=0.02, clip=1.0, max_windows=10, retain_graph=True),
    batch=4,
)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    stream = CharStream(TEXT, batch=CFG["batch"], window=CFG["train"]["window"])
    model = build_model(vocab=stream.vocab, **CFG["model"])
    trainer = TBPTTTrainer(model, **CFG["train"])
    for i, loss in enumerate(trainer.fit(stream)):
        if i % 3 == 0:
            print(i, round(loss, 4))


if __name__ == "__main__":
    main()
