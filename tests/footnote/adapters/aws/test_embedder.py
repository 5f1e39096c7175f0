"""What Bedrock's families of models are sent, and what becomes of what they answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from footnote.adapters.aws.embedder import BedrockEmbedder
from footnote.bootstrap import Core
from footnote.errors import ModelUnavailable
from footnote.settings import Embedding, Settings
from tests.contracts.backends_aws import at
from tests.contracts.backends_bedrock import refused
from tests.openai_server import Reply, Server, serving

TITAN, COHERE, COHERE_4 = "amazon.titan-embed-text-v2:0", "cohere.embed-multilingual-v3", "cohere.embed-v4:0"
TITAN_PATH, COHERE_PATH, COHERE_4_PATH = (f"/model/{model.replace(':', '%3A')}/invoke" for model in (TITAN, COHERE, COHERE_4))


@pytest.fixture
async def bedrock() -> AsyncIterator[Server]:
    async with serving() as server:
        with at(server.url):
            yield server


def direction(first: float, second: float, length: int = 256) -> list[float]:
    return [first, second] + [0.0] * (length - 2)


def said(reply: Any) -> Reply:
    return Reply(body=(json.dumps(reply),))


def bodies(server: Server) -> list[Any]:
    return [body for _, _, body in server.requests]


# --- what is asked -----------------------------------------------------------------------------


async def test_titan_is_asked_text_by_text_for_the_length_that_is_set(bedrock: Server) -> None:
    known = {"one": direction(3.0, 4.0), "zwei": direction(0.0, 2.0), "셋": direction(5.0, 0.0)}
    bedrock.replies[TITAN_PATH] = lambda sent: said({"embedding": known[sent["inputText"]], "inputTextTokenCount": 1})
    vectors = await BedrockEmbedder(TITAN, 256).embed(["one", "zwei", "셋"])
    assert (vectors.shape, vectors.dtype) == ((3, 256), np.float32)
    assert np.allclose(vectors[:, :2], [[0.6, 0.8], [0, 1], [1, 0]])
    assert sorted(bodies(bedrock), key=lambda body: body["inputText"]) == [
        {"inputText": "one", "dimensions": 256, "normalize": True},
        {"inputText": "zwei", "dimensions": 256, "normalize": True},
        {"inputText": "셋", "dimensions": 256, "normalize": True},
    ]


@pytest.mark.parametrize(("query", "kind"), [(False, "search_document"), (True, "search_query")])
async def test_cohere_is_told_questions_from_passages(bedrock: Server, query: bool, kind: str) -> None:
    bedrock.replies[COHERE_PATH] = said({"embeddings": {"float": [direction(3.0, 4.0, 1024)]}})
    bedrock.replies[COHERE_4_PATH] = said({"embeddings": {"float": [direction(3.0, 4.0, 512)]}})
    await BedrockEmbedder(COHERE, 1024).embed(["x"], query=query)
    await BedrockEmbedder(COHERE_4, 512).embed(["x"], query=query)
    assert bodies(bedrock) == [
        {"texts": ["x"], "input_type": kind, "embedding_types": ["float"], "truncate": "END"},
        {"texts": ["x"], "input_type": kind, "embedding_types": ["float"], "output_dimension": 512},
    ]


async def test_cohere_takes_96_texts_at_once_and_vectors_keep_their_order(bedrock: Server) -> None:
    def reply(sent: Any) -> Reply:  # without the type, as Cohere's models answer too
        return said({"embeddings": [direction(1.0, float(text), 1024) for text in sent["texts"]]})

    bedrock.replies[COHERE_PATH] = reply
    vectors = await BedrockEmbedder(COHERE, 1024).embed([str(number) for number in range(1000)])
    assert np.allclose(vectors[:, 1] / vectors[:, 0], range(1000), rtol=1e-4)
    assert sorted(len(body["texts"]) for body in bodies(bedrock)) == [40] + [96] * 10


async def test_an_inference_profile_is_asked_like_its_model(bedrock: Server) -> None:
    bedrock.replies["/model/us.cohere.embed-v4%3A0/invoke"] = said({"embeddings": {"float": [direction(0.0, 1.0)]}})
    assert (await BedrockEmbedder("us.cohere.embed-v4:0", 256).embed(["x"])).shape == (1, 256)


async def test_texts_are_cut_where_the_model_would_refuse_them(bedrock: Server) -> None:
    bedrock.replies[TITAN_PATH] = said({"embedding": direction(3.0, 4.0)})
    bedrock.replies[COHERE_PATH] = said({"embeddings": {"float": [direction(3.0, 4.0, 1024)]}})
    await BedrockEmbedder(TITAN, 256).embed(["가" * 9_000])
    await BedrockEmbedder(COHERE, 1024).embed(["가" * 9_000])
    await BedrockEmbedder(TITAN, 256).embed([" \n"])
    cut, short, empty = bodies(bedrock)
    assert (len(cut["inputText"]), len(short["texts"][0]), empty["inputText"]) == (8_192, 2_048, ".")


async def test_nothing_is_asked_for_no_texts(bedrock: Server) -> None:
    assert (await BedrockEmbedder(TITAN, 256).embed([])).shape == (0, 256)
    assert bedrock.requests == []


# --- what is wrong -----------------------------------------------------------------------------


async def test_throttled_requests_are_sent_again(bedrock: Server) -> None:
    left = [refused(429, "ThrottlingException"), refused(503, "ServiceUnavailableException"), said({"embedding": direction(3.0, 4.0)})]
    bedrock.replies[TITAN_PATH] = lambda _: left.pop(0)
    assert np.allclose((await BedrockEmbedder(TITAN, 256).embed(["x"]))[0, :2], [0.6, 0.8])
    assert len(bedrock.requests) == 3


async def test_texts_of_documents_wait_while_the_model_is_over_its_limit(bedrock: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.adapters.aws.client.WAIT_S", 0.0)
    left = [refused(429, "ThrottlingException")] * 9 + [said({"embedding": direction(3.0, 4.0)})]
    bedrock.replies[TITAN_PATH] = lambda _: left.pop(0)
    assert np.allclose((await BedrockEmbedder(TITAN, 256).embed(["x"]))[0, :2], [0.6, 0.8])
    bedrock.replies[TITAN_PATH] = refused(429, "ThrottlingException")
    with pytest.raises(ModelUnavailable, match="Try again later"):
        await BedrockEmbedder(TITAN, 256).embed(["x"])
    assert len(bedrock.requests) == 10 + 10


@pytest.mark.parametrize(
    ("status", "code", "tries", "told"),
    [
        (403, "AccessDeniedException", 1, "Enable access to the model in Bedrock; the function needs bedrock:InvokeModel."),
        (404, "ResourceNotFoundException", 1, "has no model amazon.titan-embed-text-v2:0 in this region"),
        (400, "ValidationException", 1, "Check EMBEDDING__MODEL"),
        (403, "UnrecognizedClientException", 1, "Check the AWS region and the credentials"),
        (429, "ThrottlingException", 3, "Try again later"),
        (500, "InternalServerException", 3, "cannot be reached"),
    ],
)
async def test_refusals_of_bedrock_name_the_remedy(bedrock: Server, status: int, code: str, tries: int, told: str) -> None:
    bedrock.replies[TITAN_PATH] = refused(status, code)
    with pytest.raises(ModelUnavailable) as error:
        await BedrockEmbedder(TITAN, 256).embed(["x"], query=True)
    assert told in error.value.detail
    assert "arn:" not in error.value.detail
    assert len(bedrock.requests) == tries


async def test_after_a_failure_the_rest_is_not_asked(bedrock: Server) -> None:
    bedrock.replies[TITAN_PATH] = refused(403, "AccessDeniedException")
    with pytest.raises(ModelUnavailable):
        await BedrockEmbedder(TITAN, 256).embed(["x"] * 100)
    bedrock.replies[TITAN_PATH] = said({"embedding": direction(3.0, 4.0)})
    await BedrockEmbedder(TITAN, 256).embed(["last"])  # whatever was asked before has got its thread before
    assert len(bedrock.requests) <= 8 + 1


@pytest.mark.parametrize(
    ("model", "dimension", "makes"),
    [(TITAN, 768, "256 or 512 or 1024"), (COHERE, 512, "1024"), (COHERE_4, 768, "256 or 512 or 1024 or 1536")],
)
async def test_a_length_that_the_model_cannot_make_is_told_before_it_is_asked(
    bedrock: Server, model: str, dimension: int, makes: str
) -> None:
    with pytest.raises(ModelUnavailable, match=rf"length {makes}, not {dimension}\. Set EMBEDDING__DIMENSION"):
        await BedrockEmbedder(model, dimension).embed(["x"])
    assert bedrock.requests == []


async def test_vectors_of_another_length_than_asked_for_are_not_taken(bedrock: Server) -> None:
    bedrock.replies[TITAN_PATH] = said({"embedding": direction(3.0, 4.0, 1024)})
    with pytest.raises(ModelUnavailable, match="length 1024, not 256"):
        await BedrockEmbedder(TITAN, 256).embed(["x"])


@pytest.mark.parametrize(
    "reply",
    [
        "<html>",
        "[]",
        "{}",
        '{"embeddings": null}',
        '{"embeddings": {"int8": [[1]]}}',
        '{"embeddings": [[1.0], [1.0, 2.0]]}',
        '{"embeddings": ["x", "y"]}',
        json.dumps({"embeddings": [direction(3.0, 4.0, 1024)]}),
        json.dumps({"embeddings": [direction(3.0, 4.0, 1024), direction(0.0, 0.0, 1024)]}),
        json.dumps({"embeddings": [direction(3.0, 4.0, 1024), [None] * 1024]}),
    ],
)
async def test_a_reply_without_a_vector_for_every_text_is_an_error(bedrock: Server, reply: str) -> None:
    bedrock.replies[COHERE_PATH] = Reply(body=(reply,))
    with pytest.raises(ModelUnavailable, match="unexpected response instead of vectors"):
        await BedrockEmbedder(COHERE, 1024).embed(["x", "y"])


@pytest.mark.parametrize(("model", "named"), [("amazon.titan-embed-image-v1", "amazon.titan-embed-image-v1"), (None, "not set")])
async def test_an_unknown_model_is_told_with_those_that_are_known(model: str | None, named: str) -> None:
    wanted = Embedding(provider="bedrock", model=model, dimension=1024)
    embedder = Core(Settings(embedding=wanted)).embedder
    assert isinstance(embedder, BedrockEmbedder)
    with pytest.raises(ModelUnavailable) as error:
        await embedder.embed(["x"])
    assert error.value.detail == (
        f"EMBEDDING__MODEL is {named}; Footnote supports these models of Bedrock:"
        " amazon.titan-embed-text-v2:0, cohere.embed-multilingual-v3, cohere.embed-v4:0."
    )


def test_vectors_of_another_length_are_another_embedders() -> None:
    assert (BedrockEmbedder(TITAN, 256).name, BedrockEmbedder(TITAN, 512).name) == (f"{TITAN}/256", f"{TITAN}/512")
