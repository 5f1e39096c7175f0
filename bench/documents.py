"""Lists what ingest finds in documents, to be judged by a reader: what passages are, pairs of question and answer, personal data,
and boilerplate, which is in no passage.

    python -m bench.documents FOLDER …             files of any kind, or sets in BEIR's format
    python -m bench.documents --pii SENTENCES.json FOLDER …   and recall on labelled sentences (Presidio's synthetic data set)

Every finding is printed with the beginning of its passage, so that wrong ones can be counted. Personal data in FOLDER counts as found,
not as right or wrong: public sets have no labels for it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from footnote.errors import UnreadableFile
from footnote.ingest.chunk import find_boilerplate
from footnote.ingest.faq_pairs import find_pairs, split_questions
from footnote.ingest.parse import parse
from footnote.ingest.prepare import prepare
from footnote.text.language import detect_language
from footnote.text.pii import find_pii
from footnote.types import Block, Chunk, Document, Parsed

SHOWN = 90
"""Characters of a passage that are printed."""
CHUNK_TOKENS = 320
LABELS = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "us_ssn",
}
"""The data set's label → the kind that is to be found."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the findings and their numbers."""
    parser = argparse.ArgumentParser(prog="python -m bench.documents", description="Lists what ingest finds in documents.")
    parser.add_argument("folders", type=Path, nargs="+", help="files of any kind, or a set in BEIR's format")
    parser.add_argument("--pii", type=Path, help="JSON list of sentences with labelled spans")
    options = parser.parse_args(arguments)
    for folder in options.folders:
        _list_findings(folder)
    if options.pii:
        for line in pii_recall(json.loads(options.pii.read_text("utf-8"))):
            print(line)
    return 0


def _list_findings(folder: Path) -> None:
    types: Counter[str] = Counter()
    personal: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    documents = pairs = 0
    for name, parsed in _documents(folder):
        documents += 1
        for number, why in find_boilerplate(parsed).items():
            left_out[why] += 1
            print(f"left out: {why:13} {name[:40]:40} {_beginning(parsed.blocks[number].text)}")
        lang = detect_language("\n".join(block.text for block in parsed.blocks))
        for pair in find_pairs(parsed, lang, CHUNK_TOKENS):
            pairs += 1
            print(f"pair       {name[:40]:40} {_beginning(' / '.join(block.text for block in parsed.blocks[pair.first : pair.end]))}")
        for chunk in passages(name, parsed):
            types[chunk.content_type] += 1
            if chunk.content_type != "text":
                print(f"{chunk.content_type:10} {name[:40]:40} {_beginning(chunk.text)}")
            for kind, start, end in find_pii(chunk.text):
                personal[kind] += 1
                print(f"pii {kind:6} {name[:40]:40} {_beginning(chunk.text[max(0, start - 20) : end + 20])}")
    print(f"{folder.name}: {documents} documents, {types.total()} passages: {dict(types)}; {pairs} pairs; personal data: {dict(personal)}")
    print(f"left out as boilerplate: {dict(left_out)}")


def passages(name: str, parsed: Parsed) -> list[Chunk]:
    """The document's passages as they are indexed."""
    document = Document("d", parsed.title, "default", name, "PROCESSING", "", 0, frozenset())
    return [chunk for chunk in prepare(document, parsed, CHUNK_TOKENS).chunks if chunk.level == 2]


def _documents(folder: Path) -> Iterator[tuple[str, Parsed]]:
    if (corpus := folder / "corpus.jsonl").exists():
        for line in corpus.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield row["_id"], split_questions(Parsed((Block("paragraph", row["text"]),), row.get("title", ""), format="text"))
        return
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        try:
            yield path.name, parse(path.read_bytes(), path.name)
        except UnreadableFile:
            continue
        except Exception as exc:  # a broken file must not end the list; ingest reads it in a child process
            print(f"{path.name}: {type(exc).__name__}", file=sys.stderr)


def pii_recall(sentences: Sequence[dict[str, object]]) -> Iterator[str]:
    """Lines: found of the labelled spans, and what was found outside every labelled span."""
    labelled: Counter[str] = Counter()
    found: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for sentence in sentences:
        text, spans = str(sentence["full_text"]), sentence["spans"]
        made = list(find_pii(text))
        for span in spans:  # type: ignore[attr-defined]
            if kind := LABELS.get(span["entity_type"]):
                labelled[kind] += 1
                hit = any(each == kind and start < span["end_position"] and span["start_position"] < end for each, start, end in made)
                found[kind] += hit
                if not hit:
                    yield f"missed {kind:6} {span['entity_value']!r} in {_beginning(text)}"
        for kind, start, end in made:
            if not any(span["start_position"] < end and start < span["end_position"] for span in spans):  # type: ignore[attr-defined]
                wrong[kind] += 1
                yield f"wrong  {kind:6} {text[start:end]!r} in {_beginning(text)}"
    yield "recall: " + ", ".join(f"{kind} {found[kind]}/{count}" for kind, count in labelled.items())
    yield f"found where nothing is labelled: {dict(wrong)}"


def _beginning(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else flat[:SHOWN] + "…"


if __name__ == "__main__":
    raise SystemExit(main())
