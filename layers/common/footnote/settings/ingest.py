"""Limits of what is read."""

from footnote.settings.marks import Group, setting


class Ingest(Group):
    """From file to index."""

    max_file_mb: int = setting(50, gt=0, description="Largest file, in MiB.", affects="nothing")
    chunk_tokens: int = setting(320, ge=64, le=2000, description="Most tokens in a passage.", affects="nothing")
    drop_groups: dict[str, list[str]] = setting(
        {},
        description="Permission groups of files dropped into the bucket: prefix of the key → groups. JSON in the environment.",
        affects="nothing",
    )
    parse_limit_s: float = setting(60, gt=0, description="Longest time to read one file, in seconds.", affects="nothing")
    parse_memory_mb: int = setting(1024, ge=256, description="Most memory to read one file, in MiB.", affects="nothing")
