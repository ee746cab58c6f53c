"""Programs that call memgit: Git by its hooks, agents by theirs.

It owns what is written into their configuration, and takes it out again without trace.
"""
