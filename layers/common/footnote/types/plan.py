"""Which optional parts of a turn run, and what decided it. Data only; `footnote.plan` makes plans."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from footnote.types.copies import replace
from footnote.types.documents import ChunkLevel
from footnote.types.reading import Strategy
from footnote.types.retrieval import Retriever

IntelligenceLevel = Literal["basic", "standard", "enhanced", "maximum"]
"""How much work is spent on an answer. The default is standard."""
Allowance = Literal["full", "cheaper", "search"]
"""What a user's remaining daily budget allows: everything, a cheaper model, search results only."""
Effect = Literal["search", "answer"]
"""search: affects the search results and therefore the answer; answer: affects only the answer."""
OptionName = Literal[
    "answer_cache",
    "answer_form",
    "answer_without_search",
    "chain_of_thought",
    "classify",
    "classify_by_model",
    "confidence",
    "critique",
    "documents_first",
    "drop_duplicates",
    "ensemble_voting",
    "expand_documents",
    "extended_thinking",
    "faq",
    "feedback_hints",
    "feedback_query",
    "feedback_weights",
    "follow_up",
    "follow_up_by_model",
    "forbidden_check",
    "graph",
    "greet",
    "history",
    "hybrid",
    "hypothetical",
    "knowledge_base",
    "injection_check",
    "judge_passages",
    "late_interaction",
    "mmr",
    "paraphrases",
    "penalties",
    "question_filters",
    "quote_gate",
    "quotes",
    "reformulate",
    "refine",
    "reject_uncited",
    "remote_search",
    "rerank",
    "rewrite",
    "rewrite_always",
    "rewrite_by_size",
    "route",
    "sandwich",
    "search_cache",
    "spelling",
    "split",
    "step_back",
    "summary_tree",
    "support_check",
    "verify_passages",
]


@dataclass(frozen=True, slots=True)
class Option:
    """An optional part of a turn. `is_on`: the default. A setting with the option's name decides if it is set; a request overrides it."""

    description: str
    is_on: bool
    requestable: bool = False
    """Whether a request or an intelligence level may switch it. False for checks that protect others."""
    ceiling: tuple[str, ...] = ()
    """Keys of settings. If there are any, and all are false or not set, the option is off whatever a request says."""
    buffered_only: bool = False
    """Off when the answer is streamed, because text that was sent cannot be taken back."""
    affects: Effect = "answer"
    pool_size: int = 0
    """Number of passages that it ranks; 0 = it does not rank."""


OPTIONS: Mapping[OptionName, Option] = {
    "answer_cache": Option("Reuse the cached answer to the same question.", False, requestable=True, ceiling=("cache.enabled",)),
    "answer_form": Option("Ask the model for a form of answer that suits the type of question.", False, requestable=True),
    "answer_without_search": Option("If the search is down, answer with a notice instead of failing.", False),
    "chain_of_thought": Option("Have the model reason before it answers complex questions.", False, requestable=True),
    "classify": Option("Classify the question.", True, requestable=True, affects="search"),
    "classify_by_model": Option("Classify the question by a language model.", False, requestable=True, affects="search"),
    "confidence": Option("Report a confidence score.", False),
    "critique": Option("Check every sentence of an answer, and revise it if it has not been shown yet.", False, requestable=True),
    "documents_first": Option(
        "Also search outlines and sections of documents, and take their passages.", False, requestable=True, affects="search"
    ),
    "drop_duplicates": Option("Drop near-duplicates of better passages.", False, requestable=True, affects="search", pool_size=20),
    "ensemble_voting": Option("Write several answers and return the one best supported by its sources.", False, requestable=True),
    "expand_documents": Option("Give the model more passages of the best documents.", False, requestable=True),
    "extended_thinking": Option("Raise the reasoning effort, if the endpoint supports it.", False, requestable=True),
    "faq": Option("Answer frequent questions with their written answers.", True, requestable=True),
    "feedback_hints": Option("Tell the model how answers to similar questions were rated.", False, requestable=True),
    "feedback_query": Option("Search again with keywords of the first passages.", False, requestable=True, affects="search"),
    "feedback_weights": Option("Weigh passages by feedback on their documents.", False, requestable=True, affects="search", pool_size=20),
    "follow_up": Option("Suggest follow-up questions.", True, requestable=True),
    "follow_up_by_model": Option("Have the answering model write the follow-up questions.", False, requestable=True),
    "forbidden_check": Option("Refuse questions about forbidden terms.", True),
    "graph": Option(
        "Also follow connections of entities in the question.",
        False,
        requestable=True,
        affects="search",
    ),
    "greet": Option("Answer greetings without a model.", False, requestable=True),
    "history": Option("Read the earlier turns of the conversation.", True),
    "hybrid": Option(
        "Search by words as well as by vectors.",
        True,
        requestable=True,
        affects="search",
    ),
    "hypothetical": Option("Also search for a hypothetical answer written by a model.", False, requestable=True, affects="search"),
    "knowledge_base": Option("Search another system's knowledge base before the index.", True),
    "injection_check": Option("Warn if a passage contains instructions to the model.", True),
    "judge_passages": Option("Have a model judge the relevance of passages.", False, requestable=True),
    "late_interaction": Option("Also compare question and passages token by token.", False, requestable=True, affects="search"),
    "mmr": Option("Prefer passages that differ from better ones.", False, requestable=True, affects="search", pool_size=30),
    "paraphrases": Option(
        "Also search for paraphrases by a model.",
        False,
        requestable=True,
        affects="search",
    ),
    "penalties": Option(
        "Demote glossaries, lists of references, tables of contents and image credits.",
        False,
        requestable=True,
        affects="search",
        pool_size=20,
    ),
    "question_filters": Option(
        "Limit the search to the period that the question names, for documents with a date.", False, requestable=True, affects="search"
    ),
    "quote_gate": Option(
        "Have the model quote the evidence of its citations, and find the quotes in the passages.", False, requestable=True
    ),
    "quotes": Option("Quote the documents if the model fails before its first word.", True),
    "refine": Option("Rank the best passages by their sentences, word order and neighbours.", True, requestable=True, affects="search"),
    "reformulate": Option("Have a model correct typos that the documents cannot correct.", False, requestable=True),
    "reject_uncited": Option("Replace answers without citations.", False, buffered_only=True),
    "remote_search": Option("Search by a tool of an MCP server before the index.", True),
    "rerank": Option(
        "Rank the best passages by a reranker.",
        True,
        requestable=True,
        ceiling=("rerank.base_url", "rerank.model"),
        affects="search",
        pool_size=30,
    ),
    "rewrite": Option("Rewrite follow-ups as standalone questions.", True),
    "rewrite_always": Option("Have a model rewrite every follow-up, even a seemingly standalone one.", False),
    "rewrite_by_size": Option("With a small model, complete follow-ups by words of earlier questions.", False),
    "route": Option("Choose the search strategy by the type of question.", True, requestable=True, affects="search"),
    "sandwich": Option("Give the model the best passages first and last.", False, requestable=True),
    "search_cache": Option("Reuse cached search results.", False, requestable=True, ceiling=("cache.enabled",)),
    "spelling": Option("Correct typos by words of the documents.", True, requestable=True, affects="search"),
    "split": Option(
        "Search for each question of a message by itself, without the text around it.", True, requestable=True, affects="search"
    ),
    "step_back": Option("Also search for a more general question.", False, requestable=True, affects="search"),
    "summary_tree": Option("Also search summaries, and take the passages below them.", False, requestable=True, affects="search"),
    "support_check": Option("Warn of claims that the cited passages do not support.", True, requestable=True),
    "verify_passages": Option("Drop passages of little relevance.", False, requestable=True),
}

LEVELS: Mapping[IntelligenceLevel, Mapping[OptionName, bool]] = {
    "basic": {"hybrid": False, "rerank": False, "verify_passages": False, "critique": False, "support_check": False, "follow_up": False},
    "standard": {},
    "enhanced": {
        "reformulate": True,
        "paraphrases": True,
        "verify_passages": True,
        "judge_passages": True,
        "graph": True,
        "chain_of_thought": True,
    },
    "maximum": {
        "reformulate": True,
        "paraphrases": True,
        "hypothetical": True,
        "step_back": True,
        "feedback_query": True,
        "chain_of_thought": True,
        "extended_thinking": True,
        "ensemble_voting": True,
        "critique": True,
        "quote_gate": True,
        "verify_passages": True,
        "judge_passages": True,
        "graph": True,
        "late_interaction": True,
        "summary_tree": True,
    },
}
"""The options that an intelligence level sets differently from the defaults."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Whether an option is on, and why."""

    is_on: bool
    because: str
    """What decided it, in words: “default”, “level basic”, “CACHE__ENABLED is false”."""
    is_fixed: bool = field(default=False, compare=False)
    """A request, a setting or a ceiling decided, so the router leaves it as it is."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The changes of an arm to a turn's plan; None and empty = unchanged. An arm without changes is a control."""

    name: str
    level: IntelligenceLevel | None = None
    options: Mapping[OptionName, bool] = field(default_factory=dict)
    retriever: Retriever | None = None
    strategy: Strategy | None = None
    alpha: float | None = None
    """Weight of the dense list, 0..1; BM25 has the rest."""
    prompts: Mapping[str, int] = field(default_factory=dict)
    """`<name>.<language>` → the version of the saved prompt to use; 0 = the packaged one."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """The arm of a turn. `experiment_id`: unique, also when an experiment is deleted and another gets its name."""

    experiment_id: str
    name: str
    arm: Arm
    period: int
    """Number of the period of the shares; a user keeps the arm within it."""
    shares: Mapping[str, float]
    """Arm → the probability, 0..1, with which it was drawn; their sum is 1."""


@dataclass(frozen=True)
class Plan:
    """The options of a turn, each with its reason. Only steps whose row has `amends_plan` may change it, and they give a reason."""

    choices: Mapping[OptionName, Choice]
    """One for every option."""
    level: IntelligenceLevel = "standard"
    level_because: str = "default"
    retriever: Retriever = "cc"
    limit: int = 5
    """Number of passages that the answer may use."""
    levels: tuple[ChunkLevel, ...] = (2,)
    """The chunk levels that are searched."""
    model: str | None = None
    """The language model that answers; None = no model."""
    window: int | None = None
    """Its context window in tokens, as its server says; None = the server does not say."""
    allowance: Allowance = "full"
    strategy: Strategy | None = None
    """How the answer is searched for; None = the question was not routed."""
    strategy_because: str = ""
    least_pool: int = 0
    """Number of passages that the strategy wants to be ranked."""
    given_pool: int = 0
    """Number of passages that the API fetches to be ranked, whatever option or strategy; 0 = it leaves that to them."""
    assignment: Assignment | None = None
    """The arm of an experiment; None = the turn is in none."""
    assigned_because: str = ""
    """What it says where the arm decided. Only plans of admins name the experiment."""

    def wants(self, option: OptionName) -> bool:
        """Whether the option is on."""
        return self.choices[option].is_on

    @property
    def prompts(self) -> Mapping[str, int]:
        """`<name>.<language>` → the version of a prompt that the arm wants; others are the current ones."""
        return self.assignment.arm.prompts if self.assignment else {}

    @property
    def pool_size(self) -> int:
        """Number of passages to read for re-ranking; 0 = as many as the request asks for."""
        ranked = max((OPTIONS[name].pool_size for name, choice in self.choices.items() if choice.is_on), default=0)
        return (self.given_pool or max(ranked, self.least_pool)) if ranked else 0

    def without(self, option: OptionName, because: str) -> Plan:
        """The same plan with this option switched off."""
        return replace(self, choices={**self.choices, option: Choice(False, because, is_fixed=True)}) if self.wants(option) else self

    def with_built(self, option: OptionName, because: str) -> Plan:
        """The same plan with this option switched on, unless a request, a setting or a ceiling decided otherwise."""
        if self.choices[option].is_fixed:
            return self
        return replace(self, choices={**self.choices, option: Choice(True, because, is_fixed=True)})

    def routed(self, strategy: Strategy, because: str, changes: Mapping[OptionName, bool]) -> Plan:
        """The same plan with this strategy and what it changes. What a request, a setting or a ceiling decided stays."""
        reason = f"strategy {strategy}: {because}"
        changed = {n: Choice(on, reason) for n, on in changes.items() if on != self.wants(n) and not self.choices[n].is_fixed}
        return replace(self, choices={**self.choices, **changed}, strategy=strategy, strategy_because=because)

    def fingerprint(self, *effects: Effect) -> str:
        """A hash of the options with one of these effects, for cache keys."""
        chosen = sorted((name, choice.is_on) for name, choice in self.choices.items() if OPTIONS[name].affects in effects)
        return hashlib.sha256(json.dumps(chosen).encode()).hexdigest()[:16]
