"""The order of a search: a question → its hits."""

from __future__ import annotations

from footnote.answer.generate import answer_without_search
from footnote.answer.other_reading import has_other_reading, take_surer_reading
from footnote.errors import FootnoteError
from footnote.events import LanguageKnown, PassagesRead, Searching
from footnote.guard.forbidden_words import check_forbidden, drop_derived, drop_forbidden
from footnote.guard.input_guard import check_input
from footnote.learn.weigh import weigh
from footnote.memory.search_cache import keep_searches, may_use_search_cache, recall_searches
from footnote.rank.diversify import diversify, drop_duplicates, several_were_read
from footnote.rank.penalties import penalise
from footnote.rank.refine import is_fused, refine
from footnote.rank.rerank import keep_order, may_rerank, rerank
from footnote.rank.select import cut, read_pool, was_reranked
from footnote.rank.titles import tell_titles_apart
from footnote.retrieve.about_collection import is_about_collection, take_documents
from footnote.retrieve.attached_alone import (
    is_about_attached,
    may_name_attached,
    name_attached,
    names_attached_files,
    search_attached,
)
from footnote.retrieve.derived import (
    add_feedback,
    has_derived,
    has_feedback,
    is_abstract,
    is_keyword_query,
    may_expand,
    paraphrase,
    step_back,
    write_hypothetical,
)
from footnote.retrieve.documents import search_documents, wants_documents_first
from footnote.retrieve.fuse import fuse_lists
from footnote.retrieve.lists import search_lists, wants_lists
from footnote.retrieve.remote import may_ask_kdb, may_search_remotely, search_kdb, search_remotely
from footnote.retrieve.search import embed_query, has_hits, has_no_hits, search, wants_derived_vector, wants_vector
from footnote.steps import BLOCK, FAIL, FALLBACK, IGNORE, SKIP, OnError, Parallel, Step
from footnote.types import BY_DOCUMENT, FURTHER, Stage, Turn
from footnote.types.copies import replace
from footnote.understand.language import set_language, set_language_without_index
from footnote.understand.read_question import read_question, reading_shown
from footnote.understand.spelling import correct_spelling, may_correct
from footnote.understand.split import asks_several, split_question


def fail_or_answer(turn: Turn, error: FootnoteError) -> OnError:
    """The policy when the search is down. Defects and bad requests are errors in every API."""
    return FALLBACK if turn.plan.wants("answer_without_search") and error.status > 500 else FAIL


# fmt: off
GUARD = Step("guard", check_input, stage=Stage.GUARD, on_error=BLOCK)
LANGUAGE = Step(
    "language", set_language, stage=Stage.UNDERSTAND, amends_plan=True, on_error=fail_or_answer, fallback=set_language_without_index,
    timeout_s=10,
    shows=lambda t: {"language": t.lang}, on_end=lambda t: LanguageKnown(t.lang),
)
SPELLING = Step(
    "spelling", correct_spelling, stage=Stage.UNDERSTAND, option="spelling", on_error=IGNORE, timeout_s=3, when=may_correct,
    shows=lambda t: {"corrected": "corrected" in t.trace.notes},
)
SPLIT = Step(
    "split", split_question, stage=Stage.UNDERSTAND, option="split", on_error=IGNORE, when=asks_several,
    shows=lambda t: {"queries": len(t.rewritten)},
)
FORBIDDEN = Step(
    "forbidden_check", check_forbidden, stage=Stage.GUARD, option="forbidden_check", paid=True, on_error=BLOCK, timeout_s=30,
    shows=lambda t: {"forbidden": t.outcome == "forbidden"},
)
NAME_ATTACHED = Step(
    "name_attached", name_attached, stage=Stage.UNDERSTAND, on_error=IGNORE, timeout_s=3, when=may_name_attached,
    shows=lambda t: t.trace.notes.get("attached", {}),
)
READING = Step("reading", read_question, stage=Stage.UNDERSTAND, on_error=FAIL, shows=reading_shown)
EMBED = Step(
    "embed", embed_query, stage=Stage.RETRIEVE, needs="embedder", on_error=SKIP, timeout_s=10, when=wants_vector,
    shows=lambda t: {"embedded": bool(t.vectors)}, on_start=Searching("embedder"),
)
REMOTE = (
    Step(
        "remote_search", search_remotely, stage=Stage.RETRIEVE, option="remote_search", needs="tools",
        on_error=SKIP, timeout_s=30, when=may_search_remotely, shows=lambda t: {"hits": len(t.evidence.hits)}, on_start=Searching("remote"),
    ),
    Step(
        "knowledge_base", search_kdb, stage=Stage.RETRIEVE, option="knowledge_base", needs="knowledge_base",
        on_error=SKIP, timeout_s=15, when=may_ask_kdb, shows=lambda t: {"hits": len(t.evidence.hits)}, on_start=Searching("remote"),
    ),
)
"""Queries → hits of external systems, if any are connected."""
CHECK_DERIVED = Step(
    "forbidden_derived", drop_forbidden, stage=Stage.GUARD, option="forbidden_check", on_error=FALLBACK, fallback=drop_derived, timeout_s=5,
    when=has_derived,
)
EXPAND = (
    Parallel(
        "expand", when=may_expand, rows=(
            Step("paraphrases", paraphrase, stage=Stage.RETRIEVE, option="paraphrases", paid=True, on_error=SKIP, timeout_s=10),
            Step("step_back", step_back, stage=Stage.RETRIEVE, option="step_back", paid=True, on_error=SKIP, timeout_s=10),
            Step(
                "hypothetical", write_hypothetical, stage=Stage.RETRIEVE, option="hypothetical", needs="embedder", paid=True,
                on_error=SKIP, timeout_s=10, when=is_abstract,
            ),
        ),
    ),
    CHECK_DERIVED,
    replace(EMBED, name="embed_derived", when=wants_derived_vector),
)
"""One question → further queries, which find evidence for it."""

SEARCH = (
    Step(
        "recall", recall_searches, stage=Stage.MEMORY, option="search_cache", on_error=IGNORE, timeout_s=3, when=may_use_search_cache,
        shows=lambda t: {"queries": len(t.query_texts), **t.trace.notes.get("search_cache", {})},
    ),
    Step(
        "search", search, stage=Stage.RETRIEVE, on_error=fail_or_answer, fallback=answer_without_search, timeout_s=10, tries=3,
        when=has_no_hits,
        shows=lambda t: {
            "lexical": sum(len(found.items) for found in t.evidence.lists if found.source == "bm25"),
            "dense": sum(len(found.items) for found in t.evidence.lists if found.source == "cosine"),
            "coverage": round(min((found.coverage for found in t.evidence.lists), default=0.0), 3),
        },
        on_start=Searching("index"),
    ),
    Step(
        "keep_searches", keep_searches, stage=Stage.MEMORY, option="search_cache", on_error=IGNORE, timeout_s=3, when=may_use_search_cache,
    ),
    Step(
        "lists", search_lists, stage=Stage.RETRIEVE, on_error=SKIP, timeout_s=10, when=wants_lists,
        shows=lambda t: {found.source: len(found.items) for found in t.evidence.lists if found.source in FURTHER},
    ),
    Step(
        "documents_first", search_documents, stage=Stage.RETRIEVE, option="documents_first", on_error=SKIP, timeout_s=5,
        when=wants_documents_first,
        shows=lambda t: {"passages": sum(len(found.items) for found in t.evidence.lists if found.source == BY_DOCUMENT)},
    ),
    Step(
        "feedback_query", add_feedback, stage=Stage.RETRIEVE, option="feedback_query", on_error=SKIP, timeout_s=5, when=is_keyword_query,
    ),
    replace(CHECK_DERIVED, name="forbidden_feedback", when=has_feedback),
    Step("search_feedback", search, stage=Stage.RETRIEVE, on_error=SKIP, timeout_s=5, when=has_feedback),
    Step(
        "attached", search_attached, stage=Stage.RETRIEVE, on_error=SKIP, timeout_s=5, when=is_about_attached,
        shows=lambda t: {"passages": sum(len(found.items) for found in t.evidence.lists)},
    ),
    Step(
        "take_documents", take_documents, stage=Stage.RETRIEVE, on_error=SKIP, timeout_s=5, when=is_about_collection,
        shows=lambda t: t.trace.notes["about_collection"],
    ),
    Step(
        "fuse", fuse_lists, stage=Stage.RANK, on_error=FAIL, when=has_no_hits,
        shows=lambda t: {"retriever": t.plan.retriever, "ranked": len(t.evidence.ranked)},
    ),
    Step("refine", refine, stage=Stage.RANK, option="refine", on_error=SKIP, timeout_s=2, when=is_fused),
    Step(
        "read", read_pool, stage=Stage.RANK, on_error=fail_or_answer, fallback=answer_without_search, timeout_s=10, tries=3,
        when=has_no_hits,
        shows=lambda t: {"hits": len(t.evidence.hits)}, on_end=lambda t: PassagesRead(len(t.evidence.hits)),
    ),
    Step(
        "rerank", rerank, stage=Stage.RANK, option="rerank", needs="reranker", on_error=FALLBACK, fallback=keep_order, timeout_s=15,
        when=may_rerank, shows=lambda t: {"reranked": t.trace.notes["reranked"]},
    ),
    Step(
        "penalties", penalise, stage=Stage.RANK, option="penalties", on_error=SKIP, when=may_rerank,
        shows=lambda t: {"penalised": t.trace.notes.get("penalised", 0)},
    ),
    Step(
        "feedback_weights", weigh, stage=Stage.RANK, option="feedback_weights", on_error=SKIP, timeout_s=3, when=may_rerank,
        shows=lambda t: t.trace.notes.get("feedback_weights", {}),
    ),
    Step(
        "drop_duplicates", drop_duplicates, stage=Stage.RANK, option="drop_duplicates", on_error=SKIP, timeout_s=2, when=several_were_read,
        shows=lambda t: {"dropped": t.trace.notes.get("duplicates", 0)},
    ),
    Step("mmr", diversify, stage=Stage.RANK, option="mmr", on_error=SKIP, timeout_s=2, when=several_were_read),
    Step("cut", cut, stage=Stage.RANK, on_error=FAIL, when=was_reranked),
    Step("titles", tell_titles_apart, stage=Stage.RANK, on_error=IGNORE, timeout_s=2, when=has_hits),
)
"""Queries → hits."""

OTHER_READING = Step(
    "other_reading", take_surer_reading, stage=Stage.RETRIEVE, on_error=IGNORE, timeout_s=5, when=has_other_reading,
    shows=lambda t: {"taken": t.trace.notes.get("other_reading", False)},
)
"""A question that may be read in two ways, and the hits of one → those of the surer one."""

FIND = (READING, EMBED, *SEARCH)
"""A question of our own, whose language is known → its hits."""

RETRIEVE = (GUARD, LANGUAGE, SPELLING, SPLIT, FORBIDDEN, READING, EMBED, *SEARCH)
"""A question → its hits: the whole turn of `/retrieve-*`, `footnote search` and `footnote eval`."""

LOOK_UP = (GUARD, LANGUAGE, FORBIDDEN, replace(NAME_ATTACHED, when=names_attached_files), READING, EMBED, *REMOTE, *SEARCH)
"""A search of an agent → its hits. It passes the same checks as a user's question."""
# fmt: on
