"""Memory between clones: fetching, checking what arrives, uniting, pushing. The union itself is pure, in `records`."""
