"""The notice for the reader that a reply has besides its answer."""

from __future__ import annotations

from footnote.answer.messages import message
from footnote.answer.model_source import no_model
from footnote.answer.unread import sentence
from footnote.turn_records.read import model_source_of
from footnote.types import FLAWS, TurnRecord, tier_of


def notice_of(record: TurnRecord) -> str | None:
    """What the reader is told besides the answer."""
    return " ".join(filter(None, (_unread(record), _about_model(record)))) or None


def _unread(record: TurnRecord) -> str | None:
    """What of the documents is still being read, if the text does not say so, as a text that answers does not."""
    note = record.get("private", {}).get("unread", {})
    if not note.get("reading") or tier_of(record["outcome"]) != "answer":
        return None
    return f"{sentence(note['reading'], note['documents'], record['lang'])} {message('from_a_part', record['lang'])}"


def _about_model(record: TurnRecord) -> str | None:
    for key in ("budget_cheaper", "budget_search"):
        if key in record["warnings"] and record["outcome"] in (None, "closest"):
            return message(key, record["lang"])
    quotes = record["extractive"] and record["outcome"] in (None, "cached", "closest")  # a refusal quotes nothing
    refuses = record["extractive"] and record["outcome"] == "refused"
    lang, address, source = record["lang"], record.get("llm_address"), model_source_of(record)
    if flaw := next((each for each in record["warnings"] if each in FLAWS and record["extractive"]), None):
        rejected = message(f"model_{flaw}", lang)
        return f"{rejected} {message('quoted_instead', lang)}" if quotes else rejected
    if not model_failed(record):
        if source and (quotes or refuses):
            return no_model(source, lang)
        return message("extractive", lang) if quotes else None
    failed = message("model_failed_at", lang, address=address) if address else message("model_failed", lang)
    said = [record.get("llm_problem"), failed, message("quoted_instead", lang) if quotes else None]
    return " ".join(each for each in said if each)


def model_failed(record: TurnRecord) -> bool:
    """Whether a configured language model did not respond."""
    return bool(record["llm_failed"]) and record["outcome"] in (None, "cached", "closest", "refused")
