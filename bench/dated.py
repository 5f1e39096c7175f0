"""What searching only documents of the named time gains and costs (option `question_filters`).

    python -m bench.dated --data-sets FOLDER [--sets squad2 xquad_de] [--limit 300] [--words]

The sets have no dates, so they are made up: every document is there twice, dated 2023 and 2025, with the same text. Questions are asked as
they are, and with a time before them (“Reports since 2024: …”); then the document of 2025 is wanted, and the other one is wrong. nDCG@10
with and without the option, and how many questions as they are are narrowed.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.data_sets import chosen_sets, language_of, make_parser
from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.ingest.prepare import cut
from footnote.learn.golden import GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg
from footnote.pipeline import EMBED, LANGUAGE, READING, SEARCH, UNDERSTAND
from footnote.settings import LLM, Embedding, Settings
from footnote.steps import Runner, Step
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import Block, Document, Parsed, Request
from footnote_local.evaluate import CALLER, PROFILE

SETS = ("squad2", "xquad_de", "korquad")
YEARS = (2023, 2025)
WANTED = 2025
ASKED = {"en": "Reports since 2024: {0}", "de": "Berichte seit 2024: {0}", "ko": "2024년 이후 보고서: {0}"}


async def fill(core: Core, golden: GoldenSet) -> None:
    """Indexes every document once for each year. Which of the two comes first in an order by id changes from document to document."""
    for number, source in enumerate(golden.documents):
        lang = detect_language(source.text)
        for year in YEARS:
            name = f"{'ab'[(year == WANTED) is (number % 2 == 0)]}-{source.doc_id}-{year}"
            metadata = {"created_time": f"{year}-06-01"}
            document = Document(
                name, source.title, "default", name, "READY", "", 0, frozenset({"*"}), generation=1, lang=lang, metadata=metadata
            )
            parsed = Parsed((Block("paragraph", source.text or source.title),), source.title)
            chunks = cut(document, parsed, lang, core.settings.ingest.chunk_tokens)
            await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks])
            await core.generations.activate(name, 1)
    if core.embedder is not None:
        while await core.ingestor.embed_some(32):
            pass


async def measure(golden: GoldenSet, lang: str, limit: int, *, with_vectors: bool) -> AsyncIterator[dict[str, Any]]:
    """A row for questions as they are, and one for those with a time."""
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Settings(footnote_data=Path(folder), llm=LLM(discover=False), embedding=Embedding(builtin=with_vectors)))
        await fill(core, golden)
        filters = next(row for row in UNDERSTAND if isinstance(row, Step) and row.name == "question_filters")
        runner = Runner((LANGUAGE, filters, READING, EMBED, *SEARCH), Deps, core.turn_deps)
        queries = golden.queries[:: max(1, len(golden.queries) // limit)]
        try:
            for name, form, years in (("as written", "{0}", YEARS), ("with a time", ASKED[lang], (WANTED,))):
                scores: dict[bool, list[float]] = {False: [], True: []}
                narrowed = 0
                for query in queries:
                    relevance = {f"{doc_id}-{year}": gain for doc_id, gain in query.relevance.items() for year in years}
                    for is_on, made in scores.items():
                        request = Request(form.format(query.text), "default", limit=30, options={"question_filters": is_on})
                        turn = await runner.finish(core.new_turn(request, CALLER, PROFILE, trace_id="bench"))
                        found = list(dict.fromkeys(hit.chunk.doc_id[2:] for hit in turn.evidence.hits))
                        made.append(ndcg(found, relevance))
                        narrowed += turn.trace.notes.get("question_filter", {}).get("applied", False)
                yield row(golden.name, name, scores[False], scores[True], narrowed / len(queries))
        finally:
            await core.close()


def row(name: str, asked: str, without: Sequence[float], scores: Sequence[float], narrowed: float) -> dict[str, Any]:
    """Means without and with the option, the difference with its 95 % interval, and the share of narrowed questions."""
    count = len(scores)
    gain = mean_interval([after - before for after, before in zip(scores, without, strict=True)])
    means = {"without": sum(without) / count, "with": sum(scores) / count}
    return {"set": name, "asked": asked, "questions": count, **means, "gain": gain, "narrowed": narrowed}


def shown(each: Mapping[str, Any]) -> str:
    """A row as text."""
    gain, low, high = each["gain"]
    begin = f"{each['set']:9} {each['asked']:12} {each['questions']} questions  {each['without']:.3f} → {each['with']:.3f}"
    return f"{begin}  {gain:+.3f} ({low:+.3f} – {high:+.3f})  narrowed: {each['narrowed']:.1%}"


async def _main() -> None:
    parser = make_parser("dated", "Measures searching documents of the named time.", SETS)
    parser.add_argument("--limit", type=int, default=300, help="questions of each set")
    parser.add_argument("--words", action="store_true", help="without vectors, which is fast")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for folder in chosen_sets(parser, options):
        golden = load_golden(folder)
        async for each in measure(golden, language_of(golden.name), options.limit, with_vectors=not options.words):
            print(json.dumps(each) if options.json else shown(each), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
