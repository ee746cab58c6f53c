"""The care of a store: checks that change nothing."""
