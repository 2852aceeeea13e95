from .interface import odeint, odeint_adjoint
