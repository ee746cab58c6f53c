"""Memory and the code: what a claim is tied to, where that went, and whether it is still what it was.

It owns the anchored text and its way through a history; it refuses to say that a claim is true.
"""
