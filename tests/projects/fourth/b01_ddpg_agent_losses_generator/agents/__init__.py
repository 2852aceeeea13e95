from .ddpg import DDPGAgent

_AGENTS = {"ddpg": DDPGAgent}


def build_agent(name, obs_dim, act_dim, args):
    return _AGENTS[name].from_args(obs_dim, act_dim, args)
