"""What a model says to one question that is not the answer."""

from __future__ import annotations

import pytest

from footnote.completion import complete
from footnote.errors import ModelUnavailable
from footnote.ports import Delta
from footnote.types import Message, Usage
from tests.fakes import FakeModel, FakeModels

ASKED = [Message("user", "May this be asked?")]


async def say(reply: str) -> str:
    return (await complete(FakeModels(FakeModel([[reply]])), None, ASKED, max_tokens=9, timeout_s=1)).text


@pytest.mark.parametrize("reply", ["no", " no\n", "<think>yes</think>no", "yes</think>\nno", "no<think>yes", "yes</think>no<think>yes"])
async def test_what_a_model_thinks_aloud_is_no_part_of_its_reply(reply: str) -> None:
    assert await say(reply) == "no"


async def test_what_a_reply_used_is_told_with_its_model_though_it_breaks_off() -> None:
    said = await complete(FakeModels(FakeModel([["no"]], name="small")), None, ASKED, max_tokens=9, timeout_s=1)
    assert said.usage.by_model == (("small", said.usage.prompt_tokens, said.usage.completion_tokens),)
    broken = FakeModels(FakeModel([["n", Delta(usage=Usage(7, 3)), ModelUnavailable("gone")]], name="small"))
    with pytest.raises(ModelUnavailable) as caught:
        await complete(broken, None, ASKED, max_tokens=9, timeout_s=1)
    assert caught.value.usage is not None
    assert caught.value.usage.by_model == (("small", 7, 3),)


@pytest.mark.parametrize("reply", ["", "  ", "<think>yes</think>", "<think>yes"])
async def test_thoughts_alone_are_no_reply(reply: str) -> None:
    with pytest.raises(ModelUnavailable):
        await say(reply)
