"""The file system of one machine."""
