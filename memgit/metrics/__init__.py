"""What was observed of memory's use: local, beside the store, never part of it, and never a reason to fail a caller."""
