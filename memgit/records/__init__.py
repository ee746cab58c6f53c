"""The pure domain: what a memory is, how it is written down, and how operations fold into a state.

Nothing in this package reads a file, a clock, an environment variable or a Git object.
"""
