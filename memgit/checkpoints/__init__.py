"""What happened in the working tree: events of Git's hooks, snapshots of it, and notes for the next session.

Nothing here is memory: no read of the memory looks into it. It owns the spool, the checkpoints in their archive and the
notes in quarantine; it refuses to decide what becomes a claim.
"""
