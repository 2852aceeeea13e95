import functools

_STEPPERS = {}


def stepper(fn):
    _STEPPERS[fn.__name__] = fn
    return fn


def get_stepper(name, **kw):
    return functools.partial(_STEPPERS[name], **kw)


@stepper
def euler(f, t, h, y):
    return y + h * f(t, y)


@stepper
def rk4(f, t, h, y):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    incr = k1 + 2 * k2
    incr += 2 * k3
    incr += k4
    incr *= h / 6
    incr += y
    return incr
