"""In the memory of this process."""
