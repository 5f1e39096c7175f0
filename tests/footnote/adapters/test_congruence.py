"""The two engines beside each other: the same documents and questions, through the rows that answers run."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from statistics import fmean

import pytest

from footnote.bootstrap import Core
from footnote.ingest.parse import parse
from footnote.ingest.prepare import cut
from footnote.settings import LLM, Embedding, Settings
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import Parsed, Request, Retriever
from footnote_local.evaluate import CALLER, PROFILE, drop_index
from tests.contracts.backends_opensearch import opensearch_settings
from tests.fakes import FakeEmbedder, make_document

ROOT = Path(__file__).parents[3]
FILES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("tests/browser/handbook.*.md"), ROOT / "README.md"])
LEAST = 0.9
QUESTIONS = 25

WORDS = {
    "en": (
        "The {0} of the {1} was {2} in {3}.",
        "harbour bridge library museum station tower market theatre garden mill".split(),
        "keeper roof gate archive bell engine window cellar staircase clock".split(),
        "repaired painted opened closed measured insured inspected sold".split(),
    ),
    "de": (
        "Die {0} des {1} wurde im Jahr {3} {2}.",
        "Hafenverwaltung Brückenprüfung Büchereikasse Museumsleitung Bahnhofsuhr Turmglocke Marktordnung Theaterkasse".split(),
        "Bezirks Rathauses Stadtarchivs Gartenamts Mühlenvereins Landkreises Wasserwerks Heimatmuseums".split(),
        "geprüft gestrichen geöffnet geschlossen vermessen versichert erneuert verkauft".split(),
    ),
    "ko": (
        "{3}년에 {1}의 {0}을 {2}.",
        "항구 다리 도서관 박물관 기차역 시계탑 시장 극장 정원 방앗간".split(),
        "관리인 지붕 대문 기록실 종탑 기관실 창문 지하실".split(),
        "수리했다 칠했다 열었다 닫았다 측정했다 점검했다 매각했다 보험에 들었다".split(),
    ),
}
ASKED = {"en": "When was the {0} of the {1} {2}?", "de": "Wann wurde die {0} des {1} {2}?", "ko": "{1}의 {0}을 언제 {2}?"}


def sources() -> Iterator[tuple[str, Parsed]]:
    """(doc_id, what is in it): what the project says of itself, and made-up records of many towns."""
    for path in FILES:
        yield path.name, parse(path.read_bytes(), path.name)
    chance = random.Random(1)
    for lang, (sentence, *words) in WORDS.items():
        for number in range(30):
            lines = [
                sentence.format(*(chance.choice(each) for each in words), chance.randint(1800, 2020)) for _ in range(chance.randint(2, 9))
            ]
            yield f"{lang}{number}", parse("\n\n".join(lines).encode(), f"{lang}{number}.txt")


def questions(lang: str) -> list[str]:
    """Of the records; in English also of the project's own pages, in the words of one of their sentences."""
    chance = random.Random(2)
    made = [ASKED[lang].format(*(chance.choice(each) for each in WORDS[lang][1:])) for _ in range(QUESTIONS)]
    if lang != "en":
        return made
    texts = [block.text for path in FILES for block in parse(path.read_bytes(), path.name).blocks if block.kind == "paragraph"]
    sentences = [text[start:end] for text in texts for start, end in split_sentences(text, "en") if end - start > 40]
    return [*made, *(" ".join(sentence.split()[:9]) for sentence in chance.sample(sentences, QUESTIONS))]


@pytest.fixture
async def cores(opensearch_url: str, tmp_path: Path) -> AsyncIterator[tuple[Core, Core]]:
    """Embedded and OpenSearch, with the same in both."""
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    theirs = settings.model_copy(update={"opensearch": opensearch_settings(opensearch_url, tmp_path)})
    cores = Core(settings), Core(theirs)
    embedder = FakeEmbedder(dimension=64)
    for core in cores:
        core.embedder = embedder
        for doc_id, parsed in sources():
            lang = detect_language("\n".join(block.text for block in parsed.blocks))
            document = make_document(doc_id, title=parsed.title or doc_id, groups=("*",), lang=lang)
            chunks = cut(document, parsed, lang, settings.ingest.chunk_tokens)
            await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks])
            await core.generations.activate(doc_id, 1)
        while await core.ingestor.embed_some(100):
            pass
    yield cores
    for core in cores:
        await core.close()
    await drop_index(cores[1])


@pytest.mark.nightly
async def test_both_engines_find_the_same_ten_passages(cores: tuple[Core, Core]) -> None:
    retrievers: tuple[Retriever, ...] = ("bm25", "cc")
    overlaps: dict[tuple[str, Retriever], float] = {}
    for lang in WORDS:
        for retriever in retrievers:
            shares = []
            for question in questions(lang):
                asked = cores[0].new_turn(Request(question, "default", retriever=retriever, limit=10), CALLER, PROFILE)
                ours, theirs = [{hit.chunk.chunk_id for hit in (await core.retrieve.finish(asked)).evidence.hits} for core in cores]
                shares.append(len(ours & theirs) / max(len(ours), len(theirs), 1))
            overlaps[lang, retriever] = round(fmean(shares), 3)
    assert {key: share for key, share in overlaps.items() if share < LEAST} == {}
