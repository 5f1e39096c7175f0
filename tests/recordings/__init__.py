"""Recordings of what every API replies, sends to the model, stores, announces and logs. A refactoring must not change them.

After an intended change, record again and review the diff of `recorded/`:

    FOOTNOTE_RECORD=1 python -m pytest tests/recordings                  # all scenes
    FOOTNOTE_RECORD=1 python -m pytest tests/recordings -k ask_stream    # some

Ids are numbered in the order in which they appear, measured times and vectors are left out, and fractions may differ by
TOLERANCE: the embedder's last digits are not the same on every processor.
"""
