"""What a step of a turn is for."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """What metrics, translations and pages know of a step; its name appears in traces. Stages may repeat within a turn."""

    GUARD = "guard"
    UNDERSTAND = "understand"
    MEMORY = "memory"
    RETRIEVE = "retrieve"
    RANK = "rank"
    ANSWER = "answer"
    CHECK = "check"
    ACCOUNT = "account"
