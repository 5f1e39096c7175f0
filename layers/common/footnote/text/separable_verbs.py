"""German verbs that a question takes apart: “Wie füge ich einen Wunsch hinzu?” asks about hinzufügen."""

from __future__ import annotations

import re

PARTICLES = (
    "ab|an|auf|aus|bei|durch|ein|fern|fest|frei|heraus|herunter|hinein|hinzu|hoch|los|mit|nach|raus|rein|runter|teil|um|vor|weg|weiter|zu"
    "|zurück|zusammen"
)
APART = re.compile(
    r"(?P<before>(?:wie|wo|womit|wann|wohin|warum)\s+)(?P<verb>(?!bin|ist|sind|hab|hat|kann|könn|darf|dürf|muss|müss|soll|woll|will|werd|wird)\w{2,})"
    rf"(?P<between>\s+(?:ich|man|du|wir|sie|ihr)\b.*?)\s+(?P<particle>{PARTICLES})\s*[?.!]*\s*",
    re.IGNORECASE,
)


def join_verb(question: str) -> str | None:
    """The question with its verb in one word, which is how documents mostly write it; None if none is taken apart. “Wie füge ich einen
    Wunsch hinzu?” → “Wie hinzufüge ich einen Wunsch”."""
    found = APART.fullmatch(question.strip())
    return f"{found['before']}{found['particle'].lower()}{found['verb'].lower()}{found['between']}" if found else None
