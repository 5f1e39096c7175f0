"""What somebody asks, and through which API: `Request` and `Profile`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from footnote.types.conditions import ANYTHING, Conditions
from footnote.types.documents import Level
from footnote.types.plan import IntelligenceLevel, OptionName
from footnote.types.retrieval import Retriever

Mode = Literal["rag", "gpt", "pa", "vision"]
"""Who answers: rag = the documents, gpt = the model and what was said before, pa = a model with tools, vision = a model
that sees. `search_type` of a stored turn."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one question asks for, in the core's words; every API makes one of what its client sent."""

    question: str
    collection: str = ""
    """“” = the one that the settings name."""
    mode: Mode = "rag"
    retriever: Retriever = "cc"
    limit: int = 5
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metadata field → accepted values; all fields must match."""
    conditions: Conditions = ANYTHING
    """What else the metadata must be like."""
    levels: tuple[Level, ...] = (2,)
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    """None = the profile's or the settings'."""
    room_id: str | None = None
    """The conversation; None = the question stands alone."""
    is_test: bool = False
    """Nothing is stored, nothing counted."""
    tool_scope: str = ""
    """The organisation whose tools an agent may use."""
    ask_kdb: bool = False
    """Whether another system's knowledge base is asked before the index."""
    images: tuple[str, ...] = ()
    """URLs or `data:` URIs, as given."""
    attached: str = ""
    """What a client sent with the question, such as words of a file: a model reads it as material, nothing is searched for in it,
    and it is not stored."""
    first_number: int = 1
    """Of the answer's citations: a client may show sources of its own before them."""
    level: IntelligenceLevel | None = None
    """How much is to be done for the answer; None = what is usual."""
    options: Mapping[OptionName, bool] = field(default_factory=dict)
    """What else the request wants, or does not."""
    link_origin: str | None = None
    """The address of this server, where the answer's text is to link its citations; None = markers alone."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a dialect asks of the core. Steps read this; none asks which API is calling."""

    name: str
    """Written to the stored turn; never compared."""
    live: bool
    """True: tokens go out as they are made. False: the text follows the checks."""
    citation_style: str
    """A key of answer/citation_styles.STYLES."""
    prompt: str
    """The name of the system message's prompt, e.g. `answer_footnote`."""
    limit: int = 5
    temperature: float | None = None
    max_tokens: int | None = None
    first_token_s: float = 120.0
    total_s: float = 120.0
    context_tokens: int = 3500
    nothing_found: str | None = None
    """The message of a turn without hits; None = how to rephrase, or that there is nothing that the caller may read."""
    history: int = 0
    """Exchanges of the room that a follow-up is understood by; 0 = every question stands alone."""
    search_cache_s: float = 0
    """How long what a question found may be used for the same or a similar one."""
    answer_cache_s: float = 0
    """How long an answer may be given again."""
    question_prompt: str | None = None
    """The name of the prompt that holds documents and question together; None = they stand apart, in system and user message."""
    options: Mapping[OptionName, bool] = field(default_factory=dict)
    """What this API does otherwise than is the default."""
    settings: Mapping[OptionName, str] = field(default_factory=dict)
    """The keys of settings that decide in this API alone."""
