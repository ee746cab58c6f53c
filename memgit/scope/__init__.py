"""Where am I, and how far may I look: the ambient context, its sources, retrieval horizons, this machine's stores.

Nothing here opens a store; the identity that a store holds, and the user's personal fallback, come in as values.
"""
