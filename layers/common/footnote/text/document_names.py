"""Tells from the name of a document whether it is read first. English, German, Korean."""

from __future__ import annotations

import re

_FIRST_READ = re.compile(
    r"readme|faq|getting.?started|quick.?start|how.?to|first.?steps|welcome|handbook|guide|manual|overview|erste.?schritte|schnellstart"
    r"|handbuch|anleitung|leitfaden|überblick|häufige.?fragen|willkommen|시작|안내|가이드|사용법|설명서|자주.?묻는|소개",
    re.IGNORECASE,
)
"""Names of documents that are written for newcomers."""
_LAST_READ = re.compile(
    r"change.?log|release.?notes|licen[cs]e|contributing|architecture|internals?\b|security|benchmarks?|engines|decisions?/|lizenz"
    r"|architektur|änderung|라이선스|변경.?이력|아키텍처",
    re.IGNORECASE,
)
"""Names of documents that are not."""


def reading_rank(name: str) -> int:
    """0 = a document for newcomers, 1 = any, 2 = one for those who know the rest already. `name`: its file name and title."""
    return 0 if _FIRST_READ.search(name) else 2 if _LAST_READ.search(name) else 1
