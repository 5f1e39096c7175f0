"""What installed packages implement: embedders that they declare as entry points."""
