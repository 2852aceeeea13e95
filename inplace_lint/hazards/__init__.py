"""What a run recorded -> findings: which hazards and events are told, how sure each is, and what it rests on."""
