"""Which kinds of messages are told by their vectors, and the fit of the weights.

    python -m bench.message_kinds --fit    # writes layers/common/footnote/text/message_kinds.npy
    python -m bench.message_kinds          # how many of each kind are told, of those that were not fitted

`questions/messages.jsonl` holds 212 examples (`fit`) in up to twenty languages and 413 messages (`test`) in French, Spanish, Italian,
Dutch, Turkish, Japanese and Chinese, which were written first, by reading nothing of this. The questions of labelled folders in other
languages than English, German and Korean that are not held out (`bench/labels`) are examples of questions and follow-ups.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.labelled import LABELS
from bench.requests import QUESTIONS
from footnote.adapters.e5.embedder import E5
from footnote.text.message_kinds import KINDS, WEIGHTS, kind_of
from footnote.types import WORDED_LANGUAGES

RIDGE = 1.0


def main() -> None:
    """Fits the weights, or prints the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.message_kinds", description="Tells kinds of messages by their vectors.")
    parser.add_argument("--fit", action="store_true", help="fit the weights and write them")
    fits = parser.parse_args().fit
    rows = [json.loads(line) for line in (QUESTIONS / "messages.jsonl").read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["half"] == "fit"] + of_folders() if fits else [row for row in rows if row["half"] == "test"]
    model = E5()
    vectors = model.across_languages(model.encode([row["text"] for row in rows], query=True))
    if fits:
        np.save(WEIGHTS, fit(vectors, [row["kind"] for row in rows]))
        return
    told: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row, vector in zip(rows, vectors, strict=True):
        told[row["kind"]][kind_of(vector)] += 1
    for kind in KINDS:
        print(f"{kind:14}{told[kind][kind]:3} of {told[kind].total():3}", dict(told[kind]))


def of_folders() -> list[dict[str, str]]:
    """The labels of folders, as examples."""
    table = (LABELS / "README.md").read_text("utf-8").splitlines()
    folders = [row.split("`")[1] for row in table if row.startswith("| `") and row.endswith("| no |")]
    folders = [folder for folder in folders if folder[:2] not in WORDED_LANGUAGES]
    rows = [json.loads(line) for folder in folders for line in (LABELS / f"{folder}.jsonl").read_text("utf-8").splitlines()]
    return [{"text": row["question"], "kind": "follow_up" if row["kind"] == "follow-up" else "question"} for row in rows]


def fit(vectors: npt.NDArray[Any], kinds: list[str]) -> npt.NDArray[np.float32]:
    """The weights of a ridge regression on each kind, in which all kinds count alike."""
    wanted = np.array([[float(kind == each) for each in KINDS] for kind in kinds])
    count = np.array([1 / kinds.count(kind) for kind in kinds])
    rows = np.hstack([vectors, np.ones((len(vectors), 1))])
    weighted = rows * (count / count.mean())[:, None]
    made: npt.NDArray[np.float32] = np.linalg.solve(rows.T @ weighted + RIDGE * np.eye(rows.shape[1]), weighted.T @ wanted).astype(
        np.float32
    )
    return made


if __name__ == "__main__":
    main()
