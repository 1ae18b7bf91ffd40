"""Finding skills: an index that a function holds in memory. Pure data; stores and HTTP are elsewhere."""
