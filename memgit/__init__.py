"""memgit gives a Git repository a memory.

Importing this package costs nothing: every name below it is imported where it is used.
"""

__version__ = "0.1.0"
