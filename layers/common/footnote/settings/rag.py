"""Settings for retrieval and for the checks of questions and answers."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator

from footnote.settings.marks import Group, Topic, setting
from footnote.types import OPTIONS, OptionName

Fusion = Literal["minmax", "rrf", "convex"]


def _check_requestable(names: list[OptionName]) -> list[OptionName]:
    fixed = sorted(name for name in names if not OPTIONS[name].requestable)
    if fixed:
        raise ValueError(f"Only what a request may switch can be switched on here, which {', '.join(fixed)} is not.")
    return names


class Rag(Group):
    """Retrieval, and the checks of questions and answers."""

    topic: ClassVar[Topic] = "search"

    fusion: Fusion = setting(
        "minmax",
        description="How the two lists are fused; convex: minmax with `rag.alpha` as its weight in every language.",
        changeable=True,
        affects="search",
    )
    alpha: float = setting(
        0.5,
        ge=0,
        le=1,
        description="Weight of the dense list, 0 to 1, if the embedder supports the language.",
        changeable=True,
        affects="search",
    )
    top_k: int = setting(
        10,
        gt=0,
        le=100,
        description="Passages that an answer may use, for requests that name no number. Unset: the API's default.",
        changeable=True,
        affects="search",
    )
    hybrid: bool = setting(True, description="Search by words where vectors can be searched for, too.", changeable=True, affects="search")
    paraphrases: bool = setting(False, description="Search for paraphrases by a model, too.", changeable=True, affects="search")
    hypothetical: bool = setting(
        False,
        description="Search for a possible answer, made up by a model, too (HyDE).",
        changeable=True,
        affects="search",
    )
    graph: bool = setting(
        False,
        description="Follow the connections of what a question names. Unset: in collections that have built a graph.",
        changeable=True,
        affects="search",
    )
    verify_passages: bool = setting(
        True,
        description="Drop passages below `rag.similarity_threshold`, except the five placed best. Unset: off, except where an API"
        " has it on.",
        changeable=True,
    )
    similarity_threshold: float = setting(
        0.4,
        ge=0,
        le=1,
        description="Lowest relevance of a passage, 0 to 1, where passages are verified.",
        changeable=True,
    )
    rrf_k: int = setting(30, gt=0, le=10_000, description="The constant k of reciprocal rank fusion.", changeable=True, affects="search")
    candidates: int = setting(
        100,
        gt=0,
        le=1000,
        description="Entries taken from each list before fusion. Unset: 15 in `/v1/chat`.",
        changeable=True,
        affects="search",
    )
    forbidden_check: bool = setting(True, description="Check questions for forbidden terms.", changeable=True, topic="answers")
    forbidden_check_threshold: float = setting(
        0.3, gt=0, le=1, description="Similarity from which a question matches a term, 0 to 1.", changeable=True, topic="answers"
    )
    forbidden_check_mode: Literal["llm", "qdrant"] = setting(
        "llm",
        description="llm: a language model judges similar questions; qdrant: similarity alone decides.",
        changeable=True,
        topic="answers",
    )
    refuse_injections: bool = setting(
        True, description="Refuse questions that try to change the assistant's rules.", changeable=True, topic="answers"
    )
    output_check: Literal["warn", "reject"] = setting(
        "warn",
        description="What happens to an answer that its sources do not support. reject: it is withheld, if it has not been sent yet.",
        changeable=True,
        topic="answers",
    )
    critic: Literal["rules", "model"] = setting(
        "rules",
        description="What finds unsupported sentences with the option `critique` (`/ask`, level maximum). model: also the language"
        " model, in a call of its own.",
        changeable=True,
        topic="answers",
    )
    switched_on: Annotated[list[OptionName], AfterValidator(_check_requestable)] = setting(
        [],
        description="Optional parts of a turn that run unless the level or the request says otherwise; `footnote explain --json`"
        " names them.",
        changeable=True,
        affects="search",
        topic="answers",
    )
    switched_off: list[OptionName] = setting(
        [],
        description="Optional parts of a turn that never run.",
        changeable=True,
        affects="search",
        topic="answers",
    )
