"""Documents from elsewhere, as values that operations can write."""
