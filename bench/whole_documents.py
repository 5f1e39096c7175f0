"""What does searching for documents first gain and cost (option `documents_first`)?

    python -m bench.whole_documents --data-sets FOLDER [--sets squad2 mtrag_un] [--limit 300]

The sets judge passages. Those of one source become one document: in squad2 the passages of an article, in
mtrag_un those whose ids begin with the same name. For each way to search: nDCG@10 over the judged passages, for every question whatever
its kind, without a language model. `embedder` tells whether there are vectors.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.data_sets import chosen_sets, make_parser
from bench.figures import log_progress
from footnote.bootstrap import Core
from footnote.ingest.prepare import cut
from footnote.learn.golden import GoldenDocument, GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg
from footnote.settings import LLM, Embedding, Settings
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import BY_DOCUMENT, Block, Document, Parsed, Request
from footnote_local.evaluate import CALLER, PROFILE

SETS = ("squad2", "mtrag_un")
KNOWN_BY = 80
"""First characters of a judged passage, by which it is recognised in a found one."""
DEPTH = 10


def grouped(golden: GoldenSet) -> dict[str, list[GoldenDocument]]:
    """The judged passages by the document that they are from."""
    groups: dict[str, list[GoldenDocument]] = defaultdict(list)
    for each in golden.documents:
        groups[each.title or each.doc_id.rsplit("-", 2)[0]].append(each)
    return groups


async def fill(core: Core, golden: GoldenSet) -> dict[str, list[tuple[str, str]]]:
    """Indexes the documents; document id → (beginning, id) of its judged passages."""
    known: dict[str, list[tuple[str, str]]] = {}
    for number, (name, parts) in enumerate(grouped(golden).items()):
        lang = detect_language(parts[0].text)
        title = parts[0].title
        document = Document(f"d{number}", title, "default", name, "READY", "", 0, frozenset({"*"}), generation=1, lang=lang)
        chunks = cut(
            document, Parsed(tuple(Block("paragraph", part.text) for part in parts), title), lang, core.settings.ingest.chunk_tokens
        )
        await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks])
        await core.generations.activate(document.doc_id, 1)
        known[document.doc_id] = [(_plain(part.text)[:KNOWN_BY], part.doc_id) for part in parts]
    if core.embedder is not None:
        while await core.ingestor.embed_some(32):
            pass
    return known


async def measure(golden: GoldenSet, limit: int, *, with_vectors: bool) -> list[dict[str, Any]]:
    """A row for each way to search, with the difference to the first and its 95 % interval."""
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Settings(footnote_data=Path(folder), llm=LLM(discover=False), embedding=Embedding(builtin=with_vectors)))
        known = await fill(core, golden)
        queries = golden.queries[:: max(1, len(golden.queries) // limit)]
        rows: list[dict[str, Any]] = []
        plain: list[float] = []
        for is_on in (False, True):
            scores: list[float] = []
            for query in queries:
                request = Request(query.text, "default", limit=DEPTH, options={BY_DOCUMENT: is_on})
                turn = await core.retrieve.finish(core.new_turn(request, CALLER, PROFILE, trace_id="bench"))
                found: list[str] = []
                for hit in turn.evidence.hits:
                    text = _plain(hit.chunk.text)
                    found += [part for beginning, part in known[hit.chunk.doc_id] if beginning in text]
                scores.append(ndcg(list(dict.fromkeys(found))[:DEPTH], query.relevance))
            plain = plain or scores
            gain, low, high = mean_interval([score - before for score, before in zip(scores, plain, strict=True)])
            rows.append(
                {
                    "set": golden.name,
                    "documents": len(known),
                    "embedder": with_vectors,
                    BY_DOCUMENT: is_on,
                    "queries": len(queries),
                    "ndcg@10": round(sum(scores) / len(scores), 4),
                    "gain": round(gain, 4),
                    "gain_interval": [round(low, 4), round(high, 4)],
                }
            )
            log_progress(json.dumps(rows[-1]))
        await core.close()
    return rows


def _plain(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    """Prints a row for each set and way to search."""
    parser = make_parser("whole_documents", "Measures searching for documents first.", SETS)
    parser.add_argument("--limit", type=int, default=300, help="questions of a set")
    parser.add_argument("--words", action="store_true", help="without vectors, which is fast")
    options = parser.parse_args()
    for folder in chosen_sets(parser, options):
        golden = load_golden(folder)
        for row in asyncio.run(measure(golden, options.limit, with_vectors=not options.words)):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
