"""Sanitises untrusted text for prompts: removes invisible characters and breaks anything that could close or open a fence."""

from __future__ import annotations

import re

INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
"""Soft hyphens, fillers, zero-width, direction, variation and tag characters. They can hide words from a human reader."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
FENCES = re.compile(
    r"""[<\uff1c\ufe64\u2039\u3008] (?= \s*+[/\uff0f\u2044\u2215\\]?\s*+
        (?: (?: documents? | tool_?\s?outputs? | references? | sources? | context | question | attached | history | instructions? | system
              | user | assistant )
            \s*(?:[\s>\uff1e\ufe65\u203a\u3009/]|$)
          | [\uff21-\uff5a\U0001d400-\U0001d7ff] )           # look-alike letters, whatever they spell
        | \| | <\s*+/?\s*+sys)
      | \[ (?= \s*+/?\s*+(?: inst | references | question | conversation\ context | current\ question | instructions )\s*+\])""",
    re.IGNORECASE | re.VERBOSE,
)
"""The section delimiters of our prompts and of models' chat templates, in any case, spacing and width."""
BREAK = "\u200b"


def untrusted(text: str) -> str:
    """Sanitises text for a place between fences or in a message of its own."""
    return FENCES.sub(lambda fence: fence[0] + BREAK, CONTROL.sub(" ", INVISIBLE.sub("", text)))


def untrusted_title(text: str) -> str:
    """Sanitises text for a single line or a double-quoted attribute."""
    return " ".join(untrusted(text).replace('"', "'").replace("<", "‹").replace(">", "›").split())
