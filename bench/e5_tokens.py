"""Makes the directions of the built-in embedder's token vectors: `python -m bench.e5_tokens FOLDER…`.

FOLDERs hold Markdown files in any language; each counts alike. Those in the package are made from the documents of six projects in
German, English, French and Korean, none of which is in the sets below.

A token's vector is its state in layer 10, less the mean state, whitened: along the 64 principal directions, each divided by its standard
deviation, so that the few strongest do not decide alone. nDCG@10 of the search's first 50 passages, then with .75 of `max_similarity`
added, both from 0 to 1, on questions that nothing was chosen by: squad2 .936 → .946 (430 questions), korquad .970 → .978 (1,869), xquad_de
.986 → .984 and xquad_en .984 → .981 (190 each; within chance). On 1,000 others of each set, their mean gain by layer: 8 +.0033, 10
+.0042, 12, the last, +.0020.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from footnote.adapters.e5.embedder import PASSAGE, TOKEN_VECTORS, find_model
from footnote.adapters.e5.network import TOKENS, Network
from footnote.adapters.e5.tokenizer import BEGIN, END, Tokenizer
from footnote.adapters.e5.weights import POSITIONS, Weights

DIMENSIONS = 64
LENGTH = 1000
"""Characters of a text."""
MOST = 60
"""Texts of a folder."""


def _texts(folder: Path) -> list[str]:
    files = [path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))]
    texts = [file[start : start + LENGTH].strip() for file in files for start in range(0, len(file), LENGTH)]
    return [text for text in texts if text][:: -(-len(texts) // MOST)]


def main() -> None:
    """Writes TOKEN_VECTORS."""
    parser = argparse.ArgumentParser(prog="python -m bench.e5_tokens", description="Makes the directions of token vectors.")
    parser.add_argument("folders", type=Path, nargs="+", help="folders with Markdown files")
    path = find_model()
    assert path is not None, "the built-in embedder is not installed"
    weights = Weights(path)
    tokenizer, network = Tokenizer(weights), Network(weights)
    before = 1 + len(tokenizer.ids(PASSAGE))
    found = []
    for folder in parser.parse_args().folders:
        for text in _texts(folder):
            ids = tokenizer.ids(PASSAGE + text)[: POSITIONS - 2]
            found.append(network.states([BEGIN, *ids, END], TOKENS)[before:-1])
    states = np.concatenate(found).astype(np.float64)
    mean = states.mean(axis=0)
    variances, directions = np.linalg.eigh(np.cov((states - mean).T))
    kept = (directions / np.sqrt(variances)).T[::-1][:DIMENSIONS]
    signs = np.sign(kept[np.arange(DIMENSIONS), np.abs(kept).argmax(axis=1)])  # which the decomposition leaves open
    np.save(TOKEN_VECTORS, np.vstack([mean, kept * signs[:, None]]).astype(np.float16))


if __name__ == "__main__":
    main()
