"""What memory knows, and what is closest: pure, but for the one fetch of stored bytes that a view carries.

Nothing here opens a store or an index: a `View` brings the folded entities, the cases, an index, a reader of bytes, one
instant and a scope. Scope, lifecycle and validity come before any ranking, and are judged by the entities; what an
index says is a proposal.
"""
