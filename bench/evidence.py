"""How often the sentences that a citation shows are among those on which people based their judgement of the claim.

    python -m bench.evidence FILE

FILE: JSON lines `{claim, label, passages: [text], support: [[sentence]]}`, as of WiCE; claims that nobody found supported are left out.
Every passage of three sentences or more that holds one of the evidence sentences counts once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.claim_rows import make_chunk, make_source
from footnote.adapters.e5.embedder import E5
from footnote.answer.claim_features import describe
from footnote.answer.support import Passages
from footnote.text.grounding import UNSEEN, best_support
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.types import EvidenceSpan

LEAST_SENTENCES = 3


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.evidence", description="Compares shown sentences with people's evidence.")
    parser.add_argument("claims", type=Path, help="claims with their evidence, JSON lines")
    chosen = parser.parse_args(arguments)
    rows = [json.loads(line) for line in chosen.claims.read_text("utf-8").splitlines()]
    found, passages = asyncio.run(compare([row for row in rows if row["label"] != "unsupported" and row.get("support")]))
    for name, count in found.items():
        print(f"{name:<20} {count} of {passages} passages ({count / passages:.1%})")
    return 0


async def compare(rows: Sequence[dict[str, Any]]) -> tuple[Counter[str], int]:
    """(way of choosing sentences → passages where it meets the evidence, passages)."""
    embedder, found, passages = E5(), Counter[str](), 0
    texts = [frozenset(content_terms(text, "en")) for row in rows for text in row["passages"]]
    held = Counter(term for terms in texts for term in terms)
    for row in rows:
        claim, evidence = row["claim"], frozenset[str]().union(*row["support"])
        (vector,) = await embedder.embed([claim])
        weights = {
            term: math.log(1 + (len(texts) - held[term] + 0.5) / (held[term] + 0.5)) for term in (*content_terms(claim, "en"), UNSEEN)
        }
        for text in row["passages"]:
            bounds = [(start, start + len(each)) for each in evidence if (start := text.find(each)) >= 0]
            if not bounds or len(split_sentences(text, "en")) < LEAST_SENTENCES:
                continue
            passages += 1
            source = await make_source(make_chunk("", text, "en"), embedder)
            shown: dict[str, tuple[int, int]] = {"covered terms": best_support(claim, text, "en")[1]}
            by_words = Passages({}, weights, "", "en").support(claim, [source.chunk])
            by_vectors = describe(claim, "en", vector, [source], weights, "")[1]
            check = by_words.place if by_words.is_sure else by_vectors
            for name, place in (("words", by_words.place), ("vectors", by_vectors), ("the check", check)):
                assert isinstance(place, EvidenceSpan)
                shown[name] = place.start, place.end
            found.update(name for name, (start, end) in shown.items() if any(start < last and first < end for first, last in bounds))
    return found, passages


if __name__ == "__main__":
    sys.exit(main())
