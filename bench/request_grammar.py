"""Made-up messages from templates, which the weights of `text.message_kinds` and the names' are fitted with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from footnote.types import MessageKind

QUESTIONS = Path(__file__).parent / "questions"
GRAMMAR = QUESTIONS / "requests_grammar.txt"
CHOICE = re.compile(r"\{([^{}]*)\}")


@dataclass
class Grammar:
    """Templates by (language, kind of message), and the choices that they name."""

    templates: dict[tuple[str, MessageKind], list[str]] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)

    def expand(self, template: str, random: Random) -> str:
        """One message."""
        while True:
            if choice := CHOICE.search(template):
                template = template[: choice.start()] + random.choice(choice[1].split("|")) + template[choice.end() :]
            elif name := next((name for name in self._longest_first if f"@{name}" in template), None):
                template = template.replace(f"@{name}", random.choice(self.names[name]), 1)
            else:
                return " ".join(template.split())

    @property
    def _longest_first(self) -> list[str]:
        return sorted(self.names, key=len, reverse=True)


def read_grammar(*paths: Path) -> Grammar:
    """The templates of files, of GRAMMAR if none are given; their comments say how they are written."""
    grammar, key = Grammar(), None
    for line in (line for path in paths or (GRAMMAR,) for line in path.read_text("utf-8").splitlines()):
        if line.startswith("["):
            lang, kind = line.strip("[]").split()
            key = (lang, kind)
        elif line.startswith("@") and " = " in line:
            name, values = line[1:].split(" = ", 1)
            grammar.names[name] = values.split("|")
        elif line.strip() and not line.startswith("#") and key is not None:
            grammar.templates.setdefault(key, []).append(line)  # type: ignore[arg-type]
    return grammar


def made_from(grammar: Grammar, each: int, seed: int = 7) -> Iterator[tuple[str, MessageKind, str]]:
    """(language, kind, message), `each` from every template, without repetitions."""
    random, seen = Random(seed), set[str]()
    for (lang, kind), templates in grammar.templates.items():
        for template in templates:
            for _ in range(each):
                made = grammar.expand(template, random)
                if made not in seen:
                    seen.add(made)
                    yield lang, kind, made
