"""What is written in the last round only, nobody reads in a next one."""

import torch


class Sampler:
    def __init__(self, steps, scale):
        self.steps, self.scale = steps, scale

    def sample(self, current):
        for step in range(self.steps)[::-1]:
            previous = torch.sub(current, 1) - 0.5 * current
            current = previous
            if step == 0:
                previous *= self.scale
        return previous

    def again(self, current):
        for step in range(self.steps - 1, -1, -1):
            previous = torch.sub(current, 1) - 0.5 * current
            current = previous
            if not step > 0:
                previous *= self.scale
        return previous

    def once_more(self, current):
        for step in reversed(range(self.steps)):
            previous = torch.sub(current, 1) - 0.5 * current
            current = previous
            if step != 0:
                continue
            previous *= self.scale
        return previous


if __name__ == "__main__":
    sampler = Sampler(6, 4.0)
    results = [run(torch.ones(2)) for run in (sampler.sample, sampler.again, sampler.once_more)]
    assert all(torch.equal(result, results[0]) for result in results)
