"""Collections: their names, settings, deletion and return.

names         ledger and index hold a collection under a name that never changes; its name and aliases lead there
service       `Collections`: reads the directory of all collections and changes it
attachments   which documents are attached to which conversation, in a collection that no name leads to
visible       the index and the ledger without deleted collections and ended attachments, which speak of collections by their
              current names
"""

from __future__ import annotations

from footnote.collections.names import Directory, check_collection
from footnote.collections.service import Collections
from footnote.types import RESTORABLE_S

__all__ = ["RESTORABLE_S", "Collections", "Directory", "check_collection"]
