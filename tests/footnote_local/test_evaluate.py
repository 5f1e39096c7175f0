"""`footnote eval` on sets small enough to work out the figures by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from footnote.adapters.opensearch.client import OpenSearchClient
from footnote.bootstrap import Core
from footnote.learn.golden import load_golden
from footnote.ports import VectorScope
from footnote_local.eval_report import sentences
from footnote_local.evaluate import CALLER, FORMAT, build_index, copy_vectors, drop_index, evaluate
from tests.contracts.backends_opensearch import opensearch_settings
from tests.fakes import FakeEmbedder, FakeModel, FakeModels, make_chunk, make_document, put_document
from tests.footnote_local.conftest import Footnote, open_core, write_beir

CORPUS = {
    "bridge": "The bridge was built in 1894.",
    "paint": "Bridge paint: bridge paint is blue, and bridge paint is dear.",
    "ferry": "Ferries cross the river at noon.",
}
QUERIES = {
    "first": ("When do ferries cross?", "ferry"),  # the only one found
    "second": ("Is there bridge paint?", "bridge"),  # behind the document with both words
    "nowhere": ("zebra", "bridge"),
}
FIGURES = {
    "ndcg@10": 0.5436,  # (1 + 1/log2(3) + 0) / 3 = (1 + .6309) / 3
    "recall@10": 0.6667,
    "mrr@10": 0.5,  # (1 + 1/2 + 0) / 3
}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    return write_beir(tmp_path / "harbour", CORPUS, QUERIES)


def test_the_figures_are_those_worked_out_by_hand(footnote: Footnote, beir: Path) -> None:
    result = footnote("eval", beir, "--retriever", "bm25", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert {name: report[name] for name in FIGURES} == FIGURES
    assert {name: report[name] for name in ("set", "documents", "queries", "retriever")} == {
        "set": "harbour",
        "documents": 3,
        "queries": 3,
        "retriever": "bm25",
    }
    assert 0 < report["p50_ms"] <= report["p95_ms"]
    again = json.loads(footnote("eval", beir, "--retriever", "bm25", "--json").stdout)
    assert again["index_s"] == 0
    assert {name: again[name] for name in FIGURES} == FIGURES


@pytest.mark.parametrize(("least", "code"), [("0.54", 0), ("0.55", 1)])
def test_a_figure_below_the_least_is_a_failure(least: str, code: int, footnote: Footnote, beir: Path) -> None:
    result = footnote("eval", beir, "--min-ndcg", least)
    assert result.exit_code == code
    assert re.search(r"^Ranking quality, 1 = perfect +0\.5436 \(nDCG@10, 95 % interval 0\.\d+ to [01]\.\d+\)$", result.stdout, re.MULTILINE)
    assert ("below" in result.stderr) is (code == 1)


def test_a_limit_asks_some_of_the_questions(footnote: Footnote, beir: Path) -> None:
    report = json.loads(footnote("eval", beir, "--limit", "1", "--json").stdout)
    assert (report["queries"], report["ndcg@10"]) == (1, 1.0)


@pytest.mark.usefixtures("sure_of_little")
def test_answers_and_refusals_are_judged_where_asked_for(footnote: Footnote, beir: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (beir / "queries.jsonl").read_text().splitlines()]
    (beir / "queries.jsonl").write_text(
        "".join(json.dumps(line | {"answers": ["At  NOON!"]}) + "\n" for line in lines if line["_id"] == "first")
    )
    foreign = write_beir(tmp_path / "zoo", {"z": "Zebras eat grass."}, {"z": ("What do zebras eat?", "z")})
    report = json.loads(footnote("eval", beir, "--answers", "--foreign", foreign, "--json").stdout)
    assert report["wrong_refusals"] == 0.0
    assert (report["foreign_set"], report["foreign_refused"]) == ("zoo", 1.0)
    assert [report[name] for name in ("first_tier", "answered_right", "answer_shown")] == [1.0, 1.0, 1.0]
    assert "unanswerable" not in report
    (beir / "unanswerable.jsonl").write_text(
        '{"_id": "u1", "text": "What do zebras eat?"}\n{"_id": "u2", "text": "When do ferries cross?"}\n'
    )
    report = json.loads(footnote("eval", beir, "--answers", "--json").stdout)
    assert [report[name] for name in ("unanswerable", "unanswerable_refused", "unanswerable_first_tier")] == [2, 0.5, 0.5]
    lines = footnote("eval", beir, "--answers", "--foreign", foreign).stdout.splitlines()
    assert lines[0] == "Asked 1 questions on 3 documents of harbour, retriever cc."
    for line in (
        "Wrongly refused                    0 of 1 (wrong_refusals)",
        "Answered                           1 of 1 (first_tier)",
        "Answered with the gold answer      1 of 1 (answered_right)",
        "Gold answer shown                  1 of 1 (answer_shown)",
        "Correctly refused                  1 of 2 unanswerable (unanswerable_refused)",
        "Wrongly answered                   1 of 2 unanswerable (unanswerable_first_tier)",
        "Correctly refused                  1 of 1 of zoo (foreign_refused)",
    ):
        assert line in lines


def test_the_figures_in_words_name_their_totals() -> None:
    figures = dict.fromkeys(("ndcg@10", "recall@10", "mrr@10", "p50_ms", "p95_ms", "index_s"), 0.5)
    figures |= {"p50_ms_without_embedding": 0.1, "p95_ms_without_embedding": 0.2}
    report = {
        "set": "s", "documents": 9, "queries": 20, "retriever": "cc", **figures,
        **{f"{name}_interval": [0.4, 0.6] for name in ("ndcg@10", "recall@10", "mrr@10", "ndcg@10_gain")},
        "rewrite": "heuristic", "follow_ups": 4, "rewritten": 3, "ndcg@10_gain": -0.02,
        "answers_judged": 15, "wrong_refusals": 0.1333, "first_tier": 0.7333,
        "answered_right": 0.6, "answer_shown": 0.8,
        "foreign_set": "f", "foreign_queries": 15, "foreign_refused": 0.8,
    }  # fmt: skip
    shown = list(sentences(report))
    assert shown[3] == "Found among the first ten          50.0% of the relevant documents (recall@10, 95 % interval 0.4 to 0.6)"
    assert shown[4] == "Rank of the first relevant one     about 2.0 (MRR@10 0.5, 95 % interval 0.4 to 0.6)"
    assert shown[5] == "Follow-ups                         rewritten 3 of 4 (--rewrite heuristic)"
    assert shown[6].startswith("Effect of rewriting                ranking worse by 0.0200")
    assert [line.split("(")[0].rstrip() for line in shown[7:12]] == [
        "Wrongly refused                    2 of 15",
        "Answered                           11 of 15",
        "Answered with the gold answer      9 of 15",
        "Gold answer shown                  12 of 15",
        "Correctly refused                  12 of 15 of f",
    ]


@pytest.mark.parametrize(
    ("file", "text", "shown"),
    [
        ("corpus.jsonl", '{"_id": "a", "text": "b"}\n{"_id"', "corpus.jsonl, line 2: not JSON."),
        ("corpus.jsonl", '{"_id": "a"}', "corpus.jsonl, line 1: _id, text required."),
        ("queries.jsonl", "[]\n", "queries.jsonl, line 1: _id, text required."),
        ("queries.jsonl", b"\xff\n", "queries.jsonl, line 1: not JSON."),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\nfirst ferry 1", "qrels.tsv, line 2: expected query-id, corpus-id and score"),
        ("qrels.tsv", None, "has no qrels.tsv"),
        ("corpus.jsonl", None, "has no corpus.jsonl"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\n", "contains no query with a relevant document"),
    ],
)
def test_an_invalid_set_is_reported_with_file_and_line(
    file: str, text: str | bytes | None, shown: str, footnote: Footnote, beir: Path
) -> None:
    (beir / file).unlink()
    if text is not None:
        (beir / file).write_bytes(text.encode() if isinstance(text, str) else text)
    result = footnote("eval", beir, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert shown in result.stderr


FOLLOW_UPS = [
    {"_id": "lean", "text": "When was it built?", "history": [{"role": "user", "content": "Who owns the bridge?"}]},
    {"_id": "stand", "text": "When do ferries cross?", "history": [{"role": "user", "content": "Who owns the bridge?"}]},
    {"_id": "first", "text": "Is there bridge paint?"},
]
"""Their documents are bridge, ferry and paint; "built" and "it" alone find the mill, which has more of them."""


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    folder = write_beir(tmp_path / "talk", CORPUS | {"mill": "The mill was built, burnt and built again."}, {})
    (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in FOLLOW_UPS))
    (folder / "qrels.tsv").write_text("q\tc\ts\nlean\tbridge\t1\nstand\tferry\t1\nfirst\tpaint\t1\n")
    return folder


def test_a_follow_up_is_completed_from_the_conversation_before_it(footnote: Footnote, conversations: Path) -> None:
    report = json.loads(footnote("eval", conversations, "--retriever", "bm25", "--json").stdout)
    assert report["ndcg@10"] == 1.0
    assert {name: report[name] for name in ("rewrite", "follow_ups", "rewritten")} == {
        "rewrite": "heuristic",
        "follow_ups": 2,
        "rewritten": 1,
    }
    assert report["ndcg@10_gain"] == 0.1845  # (1 - 1/log2(3) + 0) / 2 follow-ups = (1 - .6309) / 2
    assert report["ndcg@10_gain_interval"][0] >= 0


def test_a_follow_up_may_be_asked_as_it_is(footnote: Footnote, conversations: Path) -> None:
    report = json.loads(footnote("eval", conversations, "--retriever", "bm25", "--rewrite", "none", "--json").stdout)
    assert report["ndcg@10"] == 0.877  # (.6309 + 1 + 1) / 3
    assert "rewritten" not in report


async def test_a_model_rewrites_follow_ups_only(conversations: Path, tmp_path: Path) -> None:
    golden = load_golden(conversations)
    core, _ = await build_index(golden, open_core(tmp_path).settings, tmp_path, lambda *step: None)
    model = FakeModel([['{"queries": ["When was the bridge built?"]}']])
    core.models = FakeModels(model)
    report = await evaluate(core, golden, retriever="bm25", answers=False, foreign=None, progress=lambda *step: None, rewriting="model")
    await core.close()
    assert (report["ndcg@10"], report["rewritten"], report["ndcg@10_gain"]) == (1.0, 1, 0.1845)
    assert len(model.sent) == 1
    assert "Who owns the bridge?" in model.sent[0].messages[0].content


def test_without_a_model_none_can_rewrite(footnote: Footnote, conversations: Path) -> None:
    result = footnote("eval", conversations, "--rewrite", "model", "--json")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "--rewrite model needs a language model." in result.stderr


async def test_an_index_is_built_once_and_an_interrupted_build_is_completed(beir: Path, tmp_path: Path) -> None:
    golden = load_golden(beir)
    shown: list[tuple[str, int, int]] = []
    bare = open_core(tmp_path)
    stopped = Core(bare.settings.model_copy(update={"footnote_data": tmp_path / f"{golden.digest[:16]}-320-{FORMAT}"}))
    await put_document(stopped.generations, make_document("ferry", groups=("*",)), [CORPUS["ferry"]])
    bridge = make_document("bridge", groups=("*",))
    await stopped.generations.stage(bridge, [make_chunk(bridge, CORPUS["bridge"])], [()])  # interrupted here
    await stopped.close()
    core, seconds = await build_index(golden, bare.settings, tmp_path, lambda *step: shown.append(step))
    assert seconds > 0
    assert shown == [("indexing", 1, 3), ("indexing", 2, 3), ("indexing", 3, 3)]
    assert {chunk.doc_id for chunk in await core.index.sample(CALLER, "default", 10)} == {"bridge", "paint", "ferry"}
    await core.close()
    core, seconds = await build_index(golden, bare.settings, tmp_path, lambda *step: None)
    assert seconds == 0.0
    core.embedder = FakeEmbedder()
    report = await evaluate(core, golden, retriever="cc", answers=False, foreign=None, progress=lambda *step: None)
    assert report["ndcg@10"] == pytest.approx(FIGURES["ndcg@10"], abs=1e-4)
    await core.close()


async def test_in_opensearch_an_index_is_made_for_the_run_and_deleted(beir: Path, tmp_path: Path, opensearch_url: str) -> None:
    golden, engine = load_golden(beir), opensearch_settings(opensearch_url, tmp_path)
    settings = open_core(tmp_path).settings.model_copy(update={"opensearch": engine})
    client = OpenSearchClient(engine)
    core, seconds = await build_index(golden, settings, tmp_path, lambda *step: None)
    assert seconds > 0
    report = await evaluate(core, golden, retriever="cc", answers=False, foreign=None, progress=lambda *step: None)
    assert {name: report[name] for name in FIGURES} == FIGURES
    assert len(await client.request("GET", f"/{engine.prefix}-*")) == 3
    await core.close()
    await drop_index(core)
    assert await client.request("GET", f"/{engine.prefix}-*") == {}
    await client.close()


async def test_vectors_are_taken_from_the_embedded_index_of_the_set(tmp_path: Path, opensearch_url: str) -> None:
    engine = opensearch_settings(opensearch_url, tmp_path)
    source = open_core(tmp_path / "embedded")
    target = Core(source.settings.model_copy(update={"opensearch": engine}))
    source.embedder = embedder = FakeEmbedder()
    for core in (source, target):
        await put_document(core.generations, make_document(), ["The bridge is old. It is blue.", "A road."])
    await source.ingestor.embed_some(9)
    made = len(embedder.embedded)
    await copy_vectors(source, target, embedder, lambda *step: None)
    assert await target.vectors.progress(VectorScope(embedder.name)) == (2, 2)
    for chunk_id, kept in (await target.index.sentences(CALLER, ["plan|1|0", "plan|1|1"], embedder.name)).items():
        theirs = (await source.index.sentences(CALLER, [chunk_id], embedder.name))[chunk_id]
        assert (kept.bounds, kept.vectors.tolist()) == (theirs.bounds, theirs.vectors.tolist())
    assert len(embedder.embedded) == made
    await source.close()
    await target.close()
    await drop_index(target)
