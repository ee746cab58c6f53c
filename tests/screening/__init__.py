"""What `memgit/screening/` promises, and the corpora on which it is measured."""
