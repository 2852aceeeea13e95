from .agents import AGENTS, build_agent

__all__ = ["AGENTS", "build_agent"]
