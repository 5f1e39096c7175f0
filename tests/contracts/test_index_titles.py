"""What every index says of documents with the same title."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Caller
from tests.fakes import make_chunk, make_document, put_document

pytestmark = pytest.mark.engine


async def test_documents_with_a_title_are_those_that_the_caller_may_read(index: Any, me: Caller, stranger: Caller) -> None:
    for doc_id, title, groups in [
        ("a", "Plan (draft)", ["staff"]),
        ("b", "Plan (draft)", ["staff"]),
        ("c", "Plan (draft)", ["board"]),
        ("d", "plan draft", ["staff"]),
        ("e", "The Plan (draft) of 2024", ["staff"]),
        ("f", "다리 점검", ["staff"]),
        ("g", "다리 점검", ["staff"]),
        ("h", "Once", ["staff"]),
    ]:
        await put_document(index, make_document(doc_id, title=title, groups=groups), [f"Text of {doc_id}.", "More of it."])
    await put_document(index, make_document("i", title="Once", collection="other"), ["Elsewhere."])
    await index.stage(make_document("j", title="Once"), [make_chunk(make_document("j", title="Once"), "later")], [((0, 5),)])
    wanted = ["Plan (draft)", "다리 점검", "Once", "Never"]
    found = await index.titled(me, "default", wanted)
    assert (found["Plan (draft)"], found["다리 점검"]) == ({"a", "b"}, {"f", "g"})
    assert found.get("Once", {"h"}) == {"h"}
    assert "Never" not in found
    assert await index.titled(stranger, "default", wanted) == {}
    assert await index.titled(me, "nowhere", wanted) == {}
    assert await index.titled(me, "default", []) == {}
    await index.remove("b", 1)
    assert (await index.titled(me, "default", ["Plan (draft)"])).get("Plan (draft)", {"a"}) == {"a"}
