"""The form of comments."""

from __future__ import annotations

from footnote.ingest.parse.notes import comment
from footnote.types import Block
from tests.footnote.answer.passages import excerpt, passage, texts


def test_a_comment_names_its_author_and_its_replies() -> None:
    assert comment([("Ada  Berg", "Is 7 right?"), ("", " \0"), ("Ben Sato", "Yes.\0See the plan.")], page=2) == [
        Block("list", "Comment (Ada Berg): Is 7 right?\nReply (Ben Sato): Yes.\nSee the plan.", page=2)
    ]


def test_a_comment_without_an_author_is_still_called_one() -> None:
    assert [block.text for block in comment([("", "Check this.")], at="B4")] == ["Comment on B4: Check this."]
    assert comment([("Ada", "  ")]) == []


def test_a_late_sentence_of_a_comment_is_quoted_with_its_author() -> None:
    long = "I wonder. The lock is old. It leaks. Nobody repairs it. The gate opens at nine. It is heavy."
    (block,) = comment([("Ada Berg", long)])
    hit = passage((block.kind, block.text))
    assert texts(hit, excerpt(hit, "at nine").numbers)[0].startswith("Comment (Ada Berg): I wonder.")
