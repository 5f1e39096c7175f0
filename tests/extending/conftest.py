"""What the cases bring is collected where it is laid over the project."""

collect_ignore_glob = ["*/new/*"]
