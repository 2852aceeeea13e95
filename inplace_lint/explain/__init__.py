"""What `explain` tells of a place: runs that are watched as they pass it, and why a write is a finding or none."""
