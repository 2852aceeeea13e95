from corpus import stream
from lm import LM, Engine

VOCAB = 11


def main():
    engine = Engine(LM(VOCAB, 8), VOCAB, lr=0.5)
    for x, y in stream(VOCAB):
        print(engine.step(x, y))


if __name__ == "__main__":
    main()
