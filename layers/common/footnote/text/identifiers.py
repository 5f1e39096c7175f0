"""The names of programs and settings, so that their words find them: retry_limit, MAX_SIZE, sessionTimeoutMinutes.

One with underscores is a token of its own beside its words, in passages and questions, as codes are. One with capitals within is divided
in passages only: in a question, PowerPoint and GitHub are one word, which they are in passages, too."""

from __future__ import annotations

import re

JOINED = re.compile(r"[^\W_]+(?:_+[^\W_]+)+")
HUMP = re.compile(r"[A-Z](?:(?<=[a-z][a-z0-9].)[A-Za-z]|(?<=[A-Z][A-Z].)[a-z]{2})")
"""Where the next word of a name begins; not in kWh, GmbH and RNAs. It is looked for by its capital, which is fast."""
CAMEL = re.compile(r"(?<![^\W_])(?:[A-Za-z][a-z0-9]+[A-Z]|[A-Z]{2,}[a-z])[a-zA-Z0-9]*")


def joined_names(text: str) -> list[str]:
    """The names with underscores, in lower case, with repetitions."""
    return [name.lower() for name in JOINED.findall(text)]


def identifiers(text: str) -> list[str]:
    """The names that hardly any text has but those of programs, in lower case: with underscores, or with a small letter before capitals."""
    return [*joined_names(text), *(name.lower() for name in CAMEL.findall(text) if name[0].islower() and HUMP.search(name))]


def divided(text: str) -> str:
    """The text with the words of each name with capitals within behind it."""
    return CAMEL.sub(_with_words, text) if HUMP.search(text) else text


def _with_words(name: re.Match[str]) -> str:
    words = HUMP.sub(r" \g<0>", name[0])
    return f"{name[0]} {words}" if " " in words else name[0]
