"""Finds the directions in which the built-in embedder's vectors tell languages apart: `python -m bench.e5_languages TEXTS`.

TEXTS is a folder with one file for each language that holds the same text, a paragraph a line; those in the package are from the
Universal Declaration of Human Rights in 63 languages. The mean of a language's vectors, less that of all languages, is what its texts
have in common; the directions are the first of all these, of questions and of passages.

nDCG@10 of vectors alone without 0, 10, 20, 30 of them, XQuAD (which no direction is made from): articles in six languages, asked in
another of the six than the article's .531, .810, .834, .839; in its own .968, .965, .965, .959; in twelve collections of one language
.954, .953, .951, .950. Hence 20, and only where the passages are in several languages.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from footnote.adapters.e5.embedder import E5, LANGUAGES_APART

DIRECTIONS = 20


def main() -> None:
    """Writes LANGUAGES_APART."""
    parser = argparse.ArgumentParser(prog="python -m bench.e5_languages", description="Finds the directions that tell languages apart.")
    parser.add_argument("texts", type=Path, help="a folder with the same text in one file for each language")
    embedder = E5()
    texts = [path.read_text("utf-8").splitlines() for path in sorted(parser.parse_args().texts.iterdir())]
    means = np.array([[embedder.encode(lines, query=query).mean(axis=0) for lines in texts] for query in (True, False)])
    apart = (means - means.mean(axis=1, keepdims=True)).reshape(-1, means.shape[-1])
    np.save(LANGUAGES_APART, np.linalg.svd(apart, full_matrices=False)[2][:DIRECTIONS].astype(np.float32))


if __name__ == "__main__":
    main()
