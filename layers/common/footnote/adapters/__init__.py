"""The outside, one backend a file: `<port>_<backend>.py`. Foreign errors become ours here."""
