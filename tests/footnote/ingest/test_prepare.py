"""What is stored of a document's chunks."""

from __future__ import annotations

from footnote.ingest.parse import parse
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
