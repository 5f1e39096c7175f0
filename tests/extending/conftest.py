"""The tests of the cases are collected only in the copy of the project."""

collect_ignore_glob = ["*/new/*"]
