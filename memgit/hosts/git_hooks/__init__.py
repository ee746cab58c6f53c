"""Git's hooks: the blocks that append one event, where Git looks for them, and whether they fire."""
