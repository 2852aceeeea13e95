"""Turns the hazards and events of a run into findings: decides which to report, and with how much confidence."""
