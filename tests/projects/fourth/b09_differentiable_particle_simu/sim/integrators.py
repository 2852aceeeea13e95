import torch


class Integrator:
    def __init__(self, dt):
        self.dt = dt

    def step(self, accel, body):
        raise NotImplementedError

    def advance(self, accel, body):
        body = self.step(accel, body)
        return body.replace(time=body.time + self.dt)


class SemiImplicitEuler(Integrator):
    def step(self, accel, body):
        vel = body.vel + self.dt * accel(body)
        return body.replace(pos=body.pos + self.dt * vel, vel=vel)


class Leapfrog(Integrator):
    """Kick - drift - kick."""

    def kick(self, body, a):
        return body.replace(vel=body.vel.add_(a, alpha=self.dt / 2))  # BUG

    def step(self, accel, body):
        body = self.kick(body, accel(body))
        body = body.replace(pos=body.pos + self.dt * body.vel)
        return self.kick(body, accel(body))


INTEGRATORS = {"euler": SemiImplicitEuler, "leapfrog": Leapfrog}
