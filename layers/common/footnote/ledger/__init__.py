"""The ledger: which documents exist, and in which state each of them is.

documents    `Documents`: what somebody may see of them, and deletion
lifecycle    `Lifecycle`: what ingest does with a document from its arrival to its purge; `accepting` has the rules of arrivals
origins      `Origins`: where documents come from
entries      what is stored under which key, and in which lists

The rules are here, once. They run as transactions of a `ports.ledger.LedgerStore`, which an engine implements.
"""

from __future__ import annotations

from footnote.ledger.documents import Documents
from footnote.ledger.lifecycle import Lifecycle
from footnote.ledger.origins import Origins

__all__ = ["Documents", "Lifecycle", "Origins"]
