"""Which requests are searched for? Right answers by language and half, and the errors; and the fit of the weights that decide it.

    python -m bench.requests [--data-sets FOLDER [--sets squad2 korquad]]    # FOLDER: the share of their questions that is missed, too
    python -m bench.requests --fit    # writes the weights: layers/common/footnote/text/search_need.bin

`questions/requests.jsonl` holds 200 requests that people wrote in examples, tests and manuals of public repositories, found by looking up
beginnings such as `"role": "user", "content": "Schreib`: single sentences, quoted as they stand there, with a label given by reading. It
says `search` of a question that a team's documents might answer, and not of a request to translate, rewrite, calculate, or write
something new. Riddles, word problems and requests for advice, of which neither is wrong, were left out. The halves were drawn before
anything was measured; `test` was only looked at for its figure. The weights are fitted with other requests: made-up ones from
`questions/requests_grammar.txt`, and questions of the other files in `questions/`, whole and
as keywords. Not searching for a question is worse than a needless
search, so questions weigh more in the fit.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from bench.data_sets import chosen_sets, language_of, make_parser
from bench.figures import log_progress
from bench.request_grammar import made_requests
from footnote.learn.golden import load_golden
from footnote.text import search_need
from footnote.text.everyday_questions import EVERYDAY
from footnote.text.linear_model import SLOTS, pack_weights, text_features

QUESTIONS = Path(__file__).parent / "questions"
WEIGHTS = Path(search_need.__file__).with_suffix(".bin")
SETS = ("squad2", "xquad_de", "korquad")
EACH, STEPS, RATE, DECAY = 20, 600, 0.05, 6e-6
"""Requests from a template, steps of the fit (Adam), their size, and the pull towards 0."""
WEIGHTS_OF = {"question": 2.0, "keywords": 0.2, "request": 1.0}
"""Of all rows of a kind together."""

NUMBERS = ("7", "42", "2024", "4711", "3.2", "§ 5", "24/7", "9/80", "401k", "2FA", "A4", "27001", "v2", "10 %", "16:9")
"""As they stand in the names of things."""
Labelled = tuple[str, str]
"""A request, and its kind, a key of WEIGHTS_OF. Only `request` is not searched for."""


def labelled(half: str | None = None) -> list[tuple[str, str, str, bool]]:
    """(language, half, request, whether it is searched for) of the labelled set."""
    rows = [json.loads(line) for line in (QUESTIONS / "requests.jsonl").read_text("utf-8").splitlines()]
    return [(row["lang"], row["half"], row["text"], row["search"]) for row in rows if half in (None, row["half"])]


def measure() -> dict[tuple[str, str], dict[str, int]]:
    """(language, half) → numbers of requests, of right decisions, of questions that are missed, and of needless searches."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for lang, half, text, search in labelled():
        decided = search_need.needs_search(text)
        count = counts.setdefault((lang, half), Counter({"requests": 0, "right": 0, "missed": 0, "needless": 0}))
        count.update({"requests": 1, "right": decided == search, "missed": search and not decided, "needless": decided and not search})
    return {key: dict(count) for key, count in counts.items()}


def training_rows() -> list[Labelled]:
    """What the weights are fitted with; nothing of the labelled set."""
    known = {text for _, _, text, _ in labelled()}
    rows = [(text, "question" if search else "request") for _, text, search in made_requests(EACH)]
    for name in ("intents", "natural", "foreign"):
        rows += [(json.loads(line)["text"], "question") for line in (QUESTIONS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    rows += [(question, "question") for questions in EVERYDAY.values() for question in questions]
    rows += [(words, "keywords") for words in keywords([text for text, kind in rows if kind == "question"])]
    return [row for row in rows if row[0] not in known]


def keywords(questions: Sequence[str]) -> Iterator[str]:
    """One to three words of each question, as people type them into a search field, every second time with a number."""
    draw = Random(7)
    for at, question in enumerate(questions):
        words = question.rstrip("?.! ").split()
        first = draw.randrange(len(words))
        said = " ".join(words[first : first + draw.randint(1, 3)])
        number = draw.choice(NUMBERS)
        yield draw.choice((f"{number} {said}", f"{said} {number}")) if at % 2 else said


def fit(found: Sequence[set[int]], kinds: Sequence[str]) -> tuple[float, np.ndarray]:
    """(bias, weights) of a logistic regression. `found`: the features of each row; `kinds`: its kind, a key of WEIGHTS_OF."""
    sizes = np.array([len(slots) for slots in found])
    slots, row = np.concatenate([np.fromiter(each, dtype=np.int64) for each in found]), np.repeat(np.arange(len(found)), sizes)
    value, wanted = (1 / np.sqrt(sizes))[row], np.array([kind != "request" for kind in kinds], dtype=float)
    counts = Counter(kinds)
    weight = np.array([WEIGHTS_OF[kind] / 2 / counts[kind] for kind in kinds])
    made, mean, square = np.zeros(SLOTS + 1), np.zeros(SLOTS + 1), np.zeros(SLOTS + 1)
    for step in range(1, STEPS + 1):
        told = 1 / (1 + np.exp(-made[-1] - np.bincount(row, made[slots] * value, len(found))))
        off = (told - wanted) * weight
        slope = np.append(np.bincount(slots, off[row] * value, SLOTS) + DECAY * made[:-1], off.sum())
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        made -= RATE * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return float(made[-1]), made[:-1]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = make_parser("requests", "Measures which requests are searched for.", SETS)
    parser.add_argument("--fit", action="store_true", help="fit the weights, and write them")
    options = parser.parse_args(arguments)
    if options.fit:
        rows = training_rows()
        log_progress(f"{len(rows)} requests, {sum(kind == 'request' for _, kind in rows)} of them not searched for")
        bias, weights = fit([set(text_features(text)) for text, _ in rows], [kind for _, kind in rows])
        WEIGHTS.write_bytes(pack_weights(bias, weights.tolist()))
        return 0
    for (lang, half), count in sorted(measure().items()):
        shares = ", ".join(f"{count[name]} {name}" for name in ("missed", "needless"))
        print(f"{lang} {half:4} {count['right'] / count['requests']:.1%} of {count['requests']} right; {shares}")
    for half in ("dev", "test"):
        of = [count for (_, each), count in measure().items() if each == half]
        print(f"all {half:4} {sum(count['right'] for count in of) / sum(count['requests'] for count in of):.1%}")
    for lang, _, text, search in labelled("dev"):
        if search_need.needs_search(text) != search:
            print(f"dev {lang} {'missed' if search else 'needless'}: {text}")
    if options.data_sets:
        _print_missed(parser, options)
    return 0


def _print_missed(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    for folder in chosen_sets(parser, options):
        asked = [query.text for query in load_golden(folder).queries]
        missed = sum(not search_need.needs_search(text) for text in asked)
        print(f"{folder.name} ({language_of(folder.name)}): {missed / len(asked):.2%} of {len(asked)} questions missed")


if __name__ == "__main__":
    raise SystemExit(main())
