"""One verb a function: a typed request in, a typed result out. What every front door calls."""
