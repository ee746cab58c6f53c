"""The JSON contract: one table of operations, one envelope, generated descriptions."""
