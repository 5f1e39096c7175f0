"""Files in, documents out."""
