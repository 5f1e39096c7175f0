"""Made-up requests from templates: what the weights of `text.search_need` and `text.about_last_answer` are fitted with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

GRAMMAR = Path(__file__).parent / "questions" / "requests_grammar.txt"
CHOICE = re.compile(r"\{([^{}]*)\}")


@dataclass
class Grammar:
    """Templates by (language, whether documents are searched), and the choices that they name."""

    templates: dict[tuple[str, bool], list[str]] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)

    def expand(self, template: str, random: Random) -> str:
        """One request."""
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


def read_grammar(path: Path = GRAMMAR) -> Grammar:
    """The templates of a file; its comment says how they are written."""
    grammar, key = Grammar(), None
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            lang, kind = line.strip("[]").split()
            key = (lang, kind == "question")
        elif line.startswith("@") and " = " in line:
            name, values = line[1:].split(" = ", 1)
            grammar.names[name] = values.split("|")
        elif line.strip() and not line.startswith("#") and key is not None:
            grammar.templates.setdefault(key, []).append(line)
    return grammar


def made_requests(each: int, seed: int = 7) -> Iterator[tuple[str, str, bool]]:
    """(language, request, whether documents are searched), `each` from every template, without repetitions."""
    for lang, _, request, search in made_from(read_grammar(), each, seed):
        yield lang, request, search


def made_from(grammar: Grammar, each: int, seed: int = 7) -> Iterator[tuple[str, str, str, bool]]:
    """(language, template, request, whether documents are searched), `each` from every template, without repetitions."""
    random, seen = Random(seed), set[str]()
    for (lang, search), templates in grammar.templates.items():
        for template in templates:
            for _ in range(each):
                made = grammar.expand(template, random)
                if made not in seen:
                    seen.add(made)
                    yield lang, template, made, search
