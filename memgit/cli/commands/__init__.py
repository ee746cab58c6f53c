"""One file per verb: its flags, the operation that they ask for, and how the answer looks. No verb holds logic."""
