"""Which optional parts of a turn run, and by whose decision. Everything here is data; `footnote.plan` makes plans."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

IntelligenceLevel = Literal["basic", "standard", "enhanced", "maximum"]
"""How much is done for an answer. standard is the default."""
Allowance = Literal["full", "cheaper", "search"]
"""What of a user's daily budget is left: everything, a cheaper model, search results only."""
Effect = Literal["search", "answer"]
"""search: what is found, and so the answer too; answer: the answer alone."""
OptionName = Literal[
    "answer_cache",
    "answer_without_search",
    "faq",
    "follow_up",
    "forbidden_check",
    "history_in_prompt",
    "knowledge_base",
    "injection_check",
    "quotes",
    "reformulate",
    "reject_uncited",
    "remote_search",
    "rewrite",
    "rewrite_always",
    "search_cache",
    "support_check",
]


@dataclass(frozen=True, slots=True)
class Option:
    """Something that a turn may do or leave. `is_on`: what is done where nobody decides otherwise."""

    description: str
    is_on: bool
    requestable: bool = False
    """Whether a request or a level may decide it. Never what guards others."""
    setting: str | None = None
    """The key of the setting that decides where somebody set it; a request stands above it."""
    ceiling: str | None = None
    """The key of a setting that, where it is false or not set, nobody can overrule."""
    held_only: bool = False
    """Not where the answer is shown while it is written: what was shown cannot be taken back."""
    affects: Effect = "answer"
    pool_size: int = 0
    """Passages that it ranks; 0 = it ranks none."""


OPTIONS: Mapping[OptionName, Option] = {
    "answer_cache": Option("Give an answer again that was given to the same question.", False, requestable=True, ceiling="cache.enabled"),
    "answer_without_search": Option("Say that the search is down instead of failing.", False),
    "faq": Option("Answer a frequent question with the words written for it.", True, requestable=True),
    "follow_up": Option("Suggest what could be asked next.", True, requestable=True),
    "forbidden_check": Option("Refuse questions that meet a forbidden term.", True, ceiling="rag.forbidden_check_enabled"),
    "history_in_prompt": Option("Show the conversation to the model that answers.", False),
    "knowledge_base": Option("Ask another system's knowledge base before the index.", True),
    "injection_check": Option("Warn if a passage contains instructions to the model.", True),
    "quotes": Option("Quote the documents where the model fails before its first word.", True),
    "reformulate": Option("Let a model mend typos and unclear wording before the search.", False, requestable=True),
    "reject_uncited": Option("Replace an answer that cites nothing.", False, held_only=True),
    "remote_search": Option("Search by a tool of an MCP server before the index.", True),
    "rewrite": Option("Make a follow-up a question that stands alone.", True),
    "rewrite_always": Option("Let a model word every follow-up, even one that seems to stand alone.", False),
    "search_cache": Option("Use again what the same question found.", False, requestable=True, ceiling="cache.enabled"),
    "support_check": Option("Warn where the cited passages do not support a claim.", True, requestable=True),
}

LEVELS: Mapping[IntelligenceLevel, Mapping[OptionName, bool]] = {
    "basic": {"support_check": False, "follow_up": False},
    "standard": {},
    "enhanced": {"reformulate": True},
    "maximum": {"reformulate": True},
}
"""What a level decides beside the defaults."""


@dataclass(frozen=True, slots=True)
class Choice:
    is_on: bool
    because: str
    """Who decided it, in words: “default”, “level basic”, “CACHE__ENABLED is false”."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a turn is going to do. Only steps that their row allows to amend it change it, with a reason."""

    choices: Mapping[OptionName, Choice]
    """Of every option."""
    level: IntelligenceLevel = "standard"
    level_because: str = "default"
    model: str | None = None
    """The language model that answers; None = none does."""
    allowance: Allowance = "full"

    def wants(self, option: OptionName) -> bool:
        return self.choices[option].is_on

    @property
    def pool_size(self) -> int:
        """Passages that are read to be ranked anew; 0 = as many as are asked for."""
        return max((OPTIONS[name].pool_size for name, choice in self.choices.items() if choice.is_on), default=0)

    def without(self, option: OptionName, because: str) -> Plan:
        """The same plan with this option switched off."""
        return replace(self, choices={**self.choices, option: Choice(False, because)}) if self.wants(option) else self

    def fingerprint(self, *effects: Effect) -> str:
        """Equal where all options with one of these effects are; the caches of searches and answers are kept apart by it."""
        chosen = sorted((name, choice.is_on) for name, choice in self.choices.items() if OPTIONS[name].affects in effects)
        return hashlib.sha256(json.dumps(chosen).encode()).hexdigest()[:16]
