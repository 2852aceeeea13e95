"""Knowledge tracing with a dynamic key-value memory: the concept state of each student is read, then rewritten."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Answers(NamedTuple):
    question: torch.Tensor
    correct: torch.Tensor

    def steps(self):
        return zip(self.question.unbind(1), self.correct.unbind(1))


class ConceptMemory(nn.Module):
    """Static keys for the concepts; per student, a value matrix that each answer changes."""

    def __init__(self, slots, key_dim, value_dim):
        super().__init__()
        self.keys = nn.Parameter(torch.randn(slots, key_dim) * 0.3)
        self.initial = nn.Parameter(torch.randn(slots, value_dim) * 0.3)
        self.erase = nn.Linear(value_dim, value_dim)
        self.add = nn.Linear(value_dim, value_dim)

    def fresh(self, students):
        return self.initial.unsqueeze(0).repeat(students, 1, 1)

    def address(self, query):
        return (query @ self.keys.t()).softmax(-1)

    def read(self, values, weight):
        return torch.bmm(weight.unsqueeze(1), values).squeeze(1)

    def write(self, values, weight, signal):
        gate = torch.sigmoid(self.erase(signal)).unsqueeze(1)
        news = torch.tanh(self.add(signal)).unsqueeze(1)
        w = weight.unsqueeze(-1)
        return values.mul_(1 - w * gate).add_(w * news)  # BUG


class DKVMN(nn.Module):
    def __init__(self, questions, slots=6, key_dim=12, value_dim=16):
        super().__init__()
        self.questions = questions
        self.q = nn.Embedding(questions, key_dim)
        self.qa = nn.Embedding(2 * questions, value_dim)
        self.memory = ConceptMemory(slots, key_dim, value_dim)
        self.summary = nn.Linear(key_dim + value_dim, 24)
        self.out = nn.Linear(24, 1)

    def predict(self, key, content):
        f = torch.tanh(self.summary(torch.cat([content, key], -1)))
        return self.out(f).squeeze(-1)

    def forward(self, answers: Answers):
        values = self.memory.fresh(answers.question.shape[0])
        logits = []
        for question, correct in answers.steps():
            key = self.q(question)
            weight = self.memory.address(key)
            logits.append(self.predict(key, self.memory.read(values, weight)))
            signal = self.qa(question + self.questions * correct.long())
            values = self.memory.write(values, weight, signal)
        return torch.stack(logits, 1)


class Classroom:
    """Students with latent skills that answer items of random difficulty."""

    def __init__(self, questions, concepts=3, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.of = torch.randint(0, concepts, (questions,), generator=self.g)
        self.hard = torch.randn(questions, generator=self.g)
        self.concepts = concepts

    def sit(self, students, length):
        skill = torch.randn(students, self.concepts, generator=self.g)
        q = torch.randint(0, len(self.of), (students, length), generator=self.g)
        p = torch.sigmoid(skill.gather(1, self.of[q]) - self.hard[q])
        return Answers(q, (torch.rand(p.shape, generator=self.g) < p).float())


def accuracy(logits, answers):
    return ((logits > 0).float() == answers.correct).float().mean().item()


# --- driver ---
torch.manual_seed(0)
room = Classroom(20)
model = DKVMN(20)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(3):
    answers = room.sit(8, 7)
    logits = model(answers)
    loss = F.binary_cross_entropy_with_logits(logits, answers.correct)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    opt.step()
    print(accuracy(logits, answers))
