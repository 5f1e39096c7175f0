"""Parses Hangul files: the binary format (.hwp) and the zipped XML (.hwpx); both are read into one story, which becomes blocks.

The libraries that read them are under the GPL or AGPL, or need a Java runtime."""
