"""Images for a vision model."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from footnote.answer.converse import FETCH_S, attach_images
from footnote.errors import BadRequest
from footnote.prompts import LANGUAGES, Prompts
from footnote.settings import LLM, Vision
from footnote.types import Exchange, Message, Turn
from tests.deps import FakeDeps, call_step
from tests.turns import make_turn


@dataclass
class FakeImages:
    """`ports.Images`."""

    fetched: list[tuple[str, int, float]] = field(default_factory=list)

    async def fetch(self, url: str, *, max_bytes: int, timeout_s: float) -> str:
        self.fetched.append((url, max_bytes, timeout_s))
        if url == "inside":
            raise BadRequest("Nothing could be fetched.")
        return f"data:{url}"


async def shown(turn: Turn, images: FakeImages | None = None, vision_model: str | None = None) -> Turn:
    llm = LLM(discover=False, vision_model=vision_model)
    return await call_step(
        attach_images, turn, FakeDeps(images=images or FakeImages(), vision=Vision(max_images=2, max_image_mb=0.5), llm=llm)
    )


async def test_the_model_that_sees_gets_the_images_with_the_question() -> None:
    images = FakeImages()
    turn = await shown(make_turn("What is it?", images=("a", "b"), model="llama", exchanges=(Exchange("Hi", "Hello"),)), images, "llava")
    assert images.fetched == [("a", 2**19, FETCH_S), ("b", 2**19, FETCH_S)]
    assert turn.messages[1:3] == (Message("user", "Hi"), Message("assistant", "Hello"))
    assert turn.messages[3].content.endswith("\n\nWhat is it?")
    assert turn.messages[3].images == ("data:a", "data:b")
    assert turn.plan.model == "llava"
    assert (await shown(make_turn(images=("a",), model="llama"))).plan.model == "llama"


async def test_missing_too_many_and_invalid_images_are_refused() -> None:
    with pytest.raises(BadRequest, match="There is no image"):
        await shown(make_turn())
    images = FakeImages()
    with pytest.raises(BadRequest, match="There are 3 images; 2 are allowed"):
        await shown(make_turn(images=("a", "b", "c")), images)
    assert images.fetched == []
    with pytest.raises(BadRequest, match="Nothing could be fetched"):
        await shown(make_turn(images=("a", "inside")))


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_the_rules_are_in_the_question_s_language(lang: str) -> None:
    turn = await shown(make_turn(images=("a",), lang=lang))
    assert turn.messages[0] == Message("system", Prompts().render("vision", lang, {}))
    assert len({Prompts().render("vision", each, {}) for each in LANGUAGES}) == 3
