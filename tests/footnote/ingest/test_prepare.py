"""What is stored of a document's chunks."""

from __future__ import annotations

from dataclasses import replace

from footnote.ingest.parse import parse
from footnote.ingest.parsed import from_json, to_json
from footnote.ingest.prepare import prepare
from tests.fakes import make_document

GUIDE = """# Backup

Copy the folder to a disk. Keep that disk in a safe place.

```sh
# Pack it. Then send it:
tar -cf - . | ssh host

tar -tf x
```
"""


def test_the_sentences_of_a_chunk_do_not_end_within_code() -> None:
    prepared = prepare(make_document("guide"), parse(GUIDE.encode(), "guide.md"), 320)
    [chunk], [bounds] = prepared.chunks, prepared.bounds
    assert [chunk.text[start:end] for start, end in bounds] == [
        "Backup",
        "Copy the folder to a disk.",
        "Keep that disk in a safe place.",
        "# Pack it. Then send it:\ntar -cf - . | ssh host\n\ntar -tf x",
    ]


FRONT = """---
tags: [water, deep well]
owner: Facility team
url: javascript:alert(1)
paragraph_type: faq
plan: {a: b}
---
# Pump

The pump runs at 5 bar.
"""


def test_searches_can_filter_by_the_front_matter_of_a_file() -> None:
    parsed = from_json(to_json(parse(FRONT.encode(), "pump.md")))
    metadata = prepare(make_document("pump"), parsed, 320).document.metadata
    assert (metadata["tags"], metadata["owner"]) == (["water", "deep well"], "Facility team")


def test_a_file_sets_no_metadata_with_a_meaning_and_none_that_its_sender_set() -> None:
    document = replace(make_document("pump"), metadata={"owner": "Ada"})
    metadata = prepare(document, parse(FRONT.encode(), "pump.md"), 320).document.metadata
    assert metadata["owner"] == "Ada"
    assert not {"url", "paragraph_type", "plan"} & metadata.keys()
