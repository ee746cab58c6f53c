"""What retrieval knows of languages: which one a text is in, its inflections, and scripts that have no spaces."""
