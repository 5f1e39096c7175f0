"""Which names does a question contain? Precision, recall and F1 by language and half.

    python -m bench.entities --data-sets FOLDER

`questions/entities.jsonl` names 100 questions of the folder's test sets, drawn at random, and the names in them, given by reading: of
persons, places, organisations, products, works and events. Numbers, dates and adjectives (“Dutch”) do not count. Alternatives are
separated by `|`. The halves were drawn before anything was measured; `test` was only looked at for its figure. A name is right if it is
the same but for case, an article before it, and a genitive's s or a Korean particle behind it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.data_sets import make_parser
from footnote.text.question_kinds import classify

QUESTIONS = Path(__file__).parent / "questions" / "entities.jsonl"
ARTICLE = re.compile(r"^(?:the|an?|der|die|das|den|dem|des) ")
ENDING = re.compile(r"(?:['’]s|(?<=[^s\W])s|(?<=[가-힣]{2})(?:은|는|이|가|을|를|의|에|와|과|도|에서))$")


def bare(name: str) -> str:
    """The name as it is compared."""
    return ENDING.sub("", ARTICLE.sub("", name.casefold().strip()))


def texts(folder: Path) -> dict[str, str]:
    """Id → question, of the sets in `folder` that the labels name."""
    found: dict[str, str] = {}
    for name in ("squad2", "mtrag_un", "xquad_de", "korquad"):
        for line in (folder / name / "queries.jsonl").read_text("utf-8").splitlines():
            query = json.loads(line)
            found[f"{name}/{query['_id']}"] = query["text"]
    for path in (folder / "natural").glob("*/labels.jsonl"):
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            found[f"natural/{path.parent.name}/{number}"] = json.loads(line)["question"]
    return found


def compare(question: str, lang: str, names: Sequence[str]) -> tuple[int, list[str], list[str]]:
    """(number of names that were found, names found that are none, names that were missed)."""
    made = [entity.text for entity in classify(question, lang).entities if entity.kind == "name"]
    left = {bare(name): name for name in made}
    missed: list[str] = []
    for name in names:
        hit = next((bare(way) for way in name.split("|") if bare(way) in left), None)
        if hit is None:
            missed.append(name)
        else:
            del left[hit]
    return len(names) - len(missed), list(left.values()), missed


def measure(folder: Path) -> Iterator[tuple[str, str, str, int, list[str], list[str]]]:
    """(language, half, question, right, wrong, missed) of each labelled question."""
    asked = texts(folder)
    for line in QUESTIONS.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["lang"], row["half"], asked[row["from"]], *compare(asked[row["from"]], row["lang"], row["entities"])


def main(arguments: Sequence[str] | None = None) -> int:
    options = (parser := make_parser("entities", "Measures the names found in questions.", ())).parse_args(arguments)
    if options.data_sets is None:
        parser.error("name the folder of test sets: --data-sets FOLDER")
    counts: dict[tuple[str, str], Counter[str]] = {}
    for lang, half, question, right, wrong, missed in measure(options.data_sets.expanduser()):
        for key in ((lang, half), ("all", half)):
            counts.setdefault(key, Counter()).update({"right": right, "wrong": len(wrong), "missed": len(missed)})
        if half == "dev" and (wrong or missed):
            print(f"dev {lang}: {question} — wrong: {wrong}, missed: {missed}")
    for (lang, half), count in sorted(counts.items()):
        precision = count["right"] / ((count["right"] + count["wrong"]) or 1)
        recall = count["right"] / ((count["right"] + count["missed"]) or 1)
        f1 = 2 * precision * recall / ((precision + recall) or 1)
        print(f"{lang:3} {half:4} precision {precision:.2f}, recall {recall:.2f}, F1 {f1:.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
