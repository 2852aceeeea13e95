"""What NumPy's arithmetic makes owns its memory, what it looks at or writes in place does not (see `forms`)."""

_GIVEN = """
        import numpy as np

"""


def _written(write: str, copied: str) -> str:
    """A program that writes an array over memory that was saved; its good form writes one that owns its own."""
    return (
        _GIVEN
        + f"""
        x = torch.linspace(1, 2, 4)
        image, other = x.numpy(), np.full(4, 3, dtype=np.float32)
        loss = (a * x).sum()
        {write}  # bad: IPL202
        {copied}  # good
        loss.backward()
    """
    )


PROGRAMS = {
    f"array written by {write}": _written(write, copied)
    for write, copied in {
        "image += 1": "image = image + 1; image += 1",
        "image *= other": "image = image * other; image *= other",
        "image[1:] = 7": "image = 2 - image; image[1:] = 7",
        "image[...] = other": "image = image.copy(); image[...] = other",
        "np.add(image, other, out=image)": "np.add(image, other, out=other)",
        "np.clip(image, 0, 0.5, out=image)": "image = np.clip(image, 0, 0.5); np.sqrt(image, out=image)",
        "image.clip(0, 0.5, out=image)": "image = image.clip(0, 0.5); image.clip(0, 0.2, out=image)",
        "np.copyto(image, other)": "np.copyto(other, image)",
        "np.negative(image, image)": "np.negative(image, other)",
        "np.multiply(image, other, image)": "image = np.multiply(image, other); np.copyto(image, 7)",
        "image.T[:] = 7": "image = np.stack([image, image]); image.T[:] = 7",
        "image.reshape(2, 2)[0] = 7": "image.flatten()[:] = 7",
        "image.reshape(2, 2)[0, :] = 7": "image.astype(np.float32)[:] = 7",
        "np.asarray(image)[:] = 7": "np.array(image)[:] = 7",
        "np.asarray(x)[:] = 7": "np.array(x.numpy())[:] = 7",
        "np.reshape(image, (2, 2))[:] = 7": "image.repeat(2)[:] = 7",
        "np.split(image, 2)[0][:] = 7": "np.concatenate([image, image])[:] = 7",
        "image[0:2][:] = 7": "image[[0, 1]][:] = 7",
        "image.fill(7)": "image = abs(image); image.fill(7)",
        "image.sort(); image -= 2": "image = np.sort(image); image -= 2",
        "np.flip(image)[:] = 7": "image[image > 1.5][:] = 7",
        "np.ravel(image)[:] = 7": "np.abs(image)[:] = 7",
        "np.add.at(image, [0], 7)": "np.add.at(-image, [0], 7)",
        "image.put([0, 1], 7)": "np.roll(image, 1)[:] = 7",
        "np.nan_to_num(image, copy=False, nan=0.0); image -= 2": "np.nan_to_num(image)[:] = 7",
        "np.atleast_2d(image)[:] = 7": "np.where(image > 1, image, other)[:] = 7",
    }.items()
}


def _made(array: str, write: str = "frame[:] = 7", given: str = "") -> str:
    """A program that makes a tensor of an array, and writes the array before the backward or behind it."""
    return (
        _GIVEN
        + f"""
        rows, other = np.linspace(1, 2, 4, dtype=np.float32), np.full(4, 3, dtype=np.float32)
        {given or "pass"}
        frame = {array}
        loss = (a * torch.from_numpy(frame)).sum()
        {write}  # bad: IPL202
        loss.backward()
        {write}  # good
    """
    )


PROGRAMS.update(
    {
        f"array made by {array}": _made(array)
        for array in (
            "rows + other",
            "-rows",
            "2 * rows",
            "rows ** 2",
            "(rows > 1.5).astype(np.float32)",
            "np.add(rows, other)",
            "np.sin(rows)",
            "np.stack([rows, other])",
            "np.concatenate([rows[:2], other[:2]])",
            "np.random.default_rng(0).normal(size=4).astype(np.float32)",
            "rows.copy()",
            "rows[:]",
            "rows[[3, 2, 1, 0]]",
            "np.where(rows > 1.5, rows, other)",
            "rows.clip(1.2, 1.8)",
            "np.clip(rows, 1.2, 1.8)",
            "rows.astype(np.float32)",
            "rows.reshape(2, 2).T.reshape(4)",
            "np.array([1, 2, 3, 4], dtype=np.float32)",
            "np.zeros((4,), dtype=np.float32) + 1",
            "(rows - rows.mean()) / rows.std()",
        )
    }
)
PROGRAMS.update(
    {
        f"{array} of another array, which is written": _made(array, "rows[:] = 7")
        for array in ("rows[:]", "rows.reshape(4)", "np.asarray(rows)", "rows", "rows.view()")
    }
)
PROGRAMS.update(
    {
        f"an array of its own, {own}, and one that shares memory": _made("rows", f"{own}[:] = 7").replace(
            f"{own}[:] = 7  # bad: IPL202", f"{own}[:] = 7  # good\n        rows[1:][:] = 7  # bad: IPL202"
        )
        for own in (
            "(rows + 1)",
            "rows.copy()",
            "np.array(rows)",
            "rows[[0, 1, 2, 3]]",
            "np.stack([rows, rows])[0:1]",
            "rows.reshape(2, 2).T.reshape(4)",
            "rows.reshape(2, 2)[:, 1:].ravel()",
            "rows.astype(np.float64)",
        )
    }
)
PROGRAMS["an observation that an object keeps and updates"] = """
        import numpy as np

        class Norm:
            def __init__(self):
                self.mean, self.seen = np.zeros(4, np.float32), 0

            def __call__(self, x):
                self.seen += 1
                self.mean += (x - self.mean) / self.seen
                return x - self.mean

        class Rollout:
            def __init__(self, env):
                self.env, self.net, self.norm = env, nn.Linear(4, 1), Norm()
                self.frame = self.norm(env.observe()).astype(np.float32)

            def play(self, steps):
                values = []
                for _ in range(steps):
                    values.append(self.net(torch.from_numpy(self.frame)).sum())
                    np.copyto(self.frame, self.norm(self.env.observe()))  # bad: IPL202
                    self.frame = self.norm(self.env.observe())  # good
                return torch.stack(values)

        class Env:
            def __init__(self):
                self.state = np.arange(4, dtype=np.float32)

            def observe(self):
                self.state += 0.5
                return self.state.copy()

        if __name__ == "__main__":
            Rollout(Env()).play(3).sum().backward()
"""
PROGRAMS["predictions put back into their units for a log"] = """
        import numpy as np

        class Units:
            def __init__(self, rows):
                self.mean, self.std = rows.mean(axis=0), rows.std(axis=0) + 1e-6

            def back(self, array):
                array *= self.std  # bad
                array = array * self.std  # good
                return array + self.mean

        units = Units(np.arange(12, dtype=np.float32).reshape(3, 4))
        rows = np.stack([np.ones(4, dtype=np.float32), np.zeros(4, dtype=np.float32)])
        net = nn.Linear(4, 4)
        out = net(torch.from_numpy(rows).float())
        loss = out.square().mean()
        logged = units.back(out.detach().cpu().numpy())  # bad: IPL202
        logged = units.back(out.detach().cpu().numpy())  # good
        loss.backward()
"""
