"""Makes the means of the built-in embedder's vectors, which it subtracts: `python -m bench.e5_means DATA_SETS`.

The vectors of multilingual-e5-small lie in a narrow cone: unrelated texts have cosines of .72 to .82, by language. Without most of what all
have in common, unrelated texts are near 0, and vectors alone rank better: nDCG@10 with means of the other sets, share subtracted 0 → .8,
xquad_en .963 → .966, xquad_de .942 → .944, xquad_es .957 → .960, xquad_zh .952 → .950, xquad_en_de .920 → .928, korquad .847 → .874.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from footnote.adapters.e5.embedder import E5, MEANS

SETS = ("squad2", "xquad_de", "xquad_es", "xquad_zh", "korquad")
MOST = 500


def _texts(path: Path) -> list[str]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    texts = [f"{row.get('title', '')} {row['text']}".strip() for row in rows]
    return texts[:: -(-len(texts) // MOST)]


def main() -> None:
    """Writes MEANS: the mean of questions, and that of passages, each set counting alike."""
    parser = argparse.ArgumentParser(prog="python -m bench.e5_means", description="Makes the means of the built-in embedder's vectors.")
    parser.add_argument("data_sets", type=Path, help=f"the folder with the sets {', '.join(SETS)}")
    folder = parser.parse_args().data_sets
    embedder = E5(centred=False)
    means = [
        np.mean([embedder.encode(_texts(folder / name / file), query=query).mean(axis=0) for name in SETS], axis=0)
        for file, query in (("queries.jsonl", True), ("corpus.jsonl", False))
    ]
    np.save(MEANS, np.array(means, np.float32))


if __name__ == "__main__":
    main()
