"""What every vector cache does."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.ports import VECTORS_KEPT_S
from tests.contracts.conftest import Open

A, B, C = (letter * 32 for letter in (b"a", b"b", b"c"))


@pytest.mark.engine
async def test_vectors_come_back_bit_for_bit(vector_cache: Any) -> None:
    await vector_cache.put("model", {A: b"\x00\xff\x80", B: b""})
    assert await vector_cache.get("model", [A, B, C]) == {A: b"\x00\xff\x80", B: b""}
    assert await vector_cache.get("model", []) == {}


@pytest.mark.engine
async def test_a_vector_is_of_one_embedder(vector_cache: Any) -> None:
    await vector_cache.put("model", {A: b"1"})
    assert await vector_cache.get("other", [A]) == {}
    await vector_cache.put("other", {A: b"2"})
    assert await vector_cache.get("other", [A]) == {A: b"2"}


async def test_a_vector_is_deleted_whoever_made_it(vector_cache: Any) -> None:
    await vector_cache.put("model", {A: b"1", B: b"2"})
    await vector_cache.put("other", {A: b"3"})
    await vector_cache.delete([A, C, A])
    assert (await vector_cache.get("model", [A, B]), await vector_cache.get("other", [A])) == ({B: b"2"}, {})


async def test_a_new_vector_replaces_the_old_one(vector_cache: Any) -> None:
    await vector_cache.put("model", {A: b"1"})
    await vector_cache.put("model", {A: b"2"})
    assert await vector_cache.get("model", [A]) == {A: b"2"}


@pytest.mark.engine
async def test_a_vector_expires(vector_cache: Any, clock: Any) -> None:
    await vector_cache.put("model", {A: b"1"})
    clock.advance(VECTORS_KEPT_S - 10)
    await vector_cache.put("model", {B: b"2"})
    assert await vector_cache.get("model", [A, B]) == {A: b"1", B: b"2"}
    clock.advance(10)
    assert await vector_cache.get("model", [A, B]) == {B: b"2"}


@pytest.mark.engine
async def test_many_vectors_of_a_large_model_are_stored_at_once(open_vector_cache: Open) -> None:
    vectors = {bytes([number // 256, number % 256]) * 16: bytes([number % 251]) * 4096 for number in range(1200)}
    await (await open_vector_cache()).put("model", vectors)
    assert await (await open_vector_cache()).get("model", list(vectors)) == vectors
    await (await open_vector_cache()).delete(list(vectors))
    assert await (await open_vector_cache()).get("model", list(vectors)) == {}
