"""Tells from the name of a document whether it is read first. English, German, Korean."""

from __future__ import annotations

FIRST_READ = """readme, faq, getting started, quick start, quickstart, how to, howto, first steps, welcome, handbook, guide, manual,
overview, erste schritte, schnellstart, handbuch, anleitung, leitfaden, überblick, häufige fragen, willkommen, 시작, 안내, 가이드, 사용법,
설명서, 묻는, 소개""".replace("\n", " ").split(", ")
"""Parts of the names of documents that are written for newcomers."""
LAST_READ = """changelog, change log, release notes, license, licence, contributing, architecture, internal, security, benchmark, engines,
decisions, lizenz, architektur, änderung, 라이선스, 변경, 아키텍처""".replace("\n", " ").split(", ")
"""Parts of the names of documents that are not."""


def reading_rank(name: str) -> int:
    """0 = a document for newcomers, 1 = any, 2 = one for those who know the rest already. `name`: its file name and title."""
    said = name.lower().replace("-", " ").replace("_", " ")
    return 0 if any(part in said for part in FIRST_READ) else 2 if any(part in said for part in LAST_READ) else 1
