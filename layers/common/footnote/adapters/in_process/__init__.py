"""In this process's memory: further lists of small collections."""
