"""`Stage`: the purpose of a step."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """The purpose of a step, as used by metrics, translations and pages. Stages may repeat within a turn."""

    GUARD = "guard"
    UNDERSTAND = "understand"
    MEMORY = "memory"
    RETRIEVE = "retrieve"
    RANK = "rank"
    ANSWER = "answer"
    CHECK = "check"
    ACCOUNT = "account"
