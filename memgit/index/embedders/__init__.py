"""Text to vectors, behind one small interface: hashed features, a table of word pieces, a neural model, or none."""
