"""Headers for a gateway in front of models: its ticket, who asks, and ids by which a call is found again in the turn's spans."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from urllib.parse import quote

from footnote.tracing import current_collector

PLAIN = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")
"""What a header holds as it is; the rest is percent-encoded."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """What an endpoint in front of models wants to know of each call. `ticket`: its credential, `x-dep-ticket`; a request's own
    stands before it. Without a `system_name` nothing is told of who asks."""

    ticket: str | None = field(default=None, repr=False)
    system_name: str | None = None
    user_type: str | None = None

    def headers(self) -> dict[str, str]:
        """Of one call; its ids are noted for the span of the step that makes it."""
        collector = current_collector()
        told: dict[str, str | None] = {"x-dep-ticket": (collector.ticket if collector else None) or self.ticket} if self.ticket else {}
        if self.system_name:
            told |= {
                "Send-System-Name": self.system_name,
                "User-ID": collector.user_id if collector else self.system_name,
                "User-Type": self.user_type,
                "Prompt-Msg-Id": collector.prompt_id if collector else str(uuid.uuid4()),
                "Completion-Msg-Id": collector.new_completion_id() if collector else str(uuid.uuid4()),
            }
        return {name: quote(value, safe=PLAIN) for name, value in told.items() if value}
