"""German verbs that a question takes apart: “Wie füge ich einen Wunsch hinzu?” asks about hinzufügen."""

from __future__ import annotations

import re

PARTICLES = "ab|an|auf|aus|ein|fest|frei|hoch|los|mit|nach|raus|rein|runter|um|vor|weg|weiter|zu|zurück|zusammen"
"""What most separable verbs leave at the end of a sentence, as the alternatives of a pattern."""
APART = re.compile(
    r"(?P<before>(?:wie|wo|womit|wann|wohin|warum)\s+)(?P<verb>(?!bin|ist|sind|hab|hat|kann|könn|darf|dürf|muss|müss|soll|woll|will|werd|wird)\w{2,})"
    rf"(?P<between>\s+(?:ich|man|du|wir|sie|ihr)\b.*?)\s+(?P<particle>{PARTICLES}|bei|durch|fern|heraus|herunter|hinein|hinzu|teil)\s*[?.!]*\s*",
    re.IGNORECASE,
)
"""A question of a person about what they do, whose last word is such a particle. Auxiliaries have none."""


def join_verb(question: str) -> str | None:
    """The question with its verb in one word, which is how documents mostly write it; None if none is taken apart. “Wie füge ich einen
    Wunsch hinzu?” → “Wie hinzufüge ich einen Wunsch”."""
    found = APART.fullmatch(question.strip())
    return f"{found['before']}{found['particle'].lower()}{found['verb'].lower()}{found['between']}" if found else None
