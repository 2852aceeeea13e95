from .odeint import odeint
