from .solvers import SOLVERS, odeint
