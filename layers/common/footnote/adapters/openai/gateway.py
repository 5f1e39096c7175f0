"""Headers for a gateway in front of models: its ticket, the user, and ids that the turn's spans record too."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from urllib.parse import quote

from footnote.tracing import current_collector

PLAIN = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")
"""Characters that a header carries as they are; others are percent-encoded."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """What a gateway requires with each call. `ticket`: its credential, `x-dep-ticket`, unless the request has one of its
    own. Without a `system_name` no user is named."""

    ticket: str | None = field(default=None, repr=False)
    system_name: str | None = None
    user_type: str | None = None

    def headers(self) -> dict[str, str]:
        """Headers of one call. Its ids are recorded in the span of the step that makes it."""
        collector = current_collector()
        headers: dict[str, str | None] = {"x-dep-ticket": (collector.ticket if collector else None) or self.ticket} if self.ticket else {}
        if self.system_name:
            headers |= {
                "Send-System-Name": self.system_name,
                "User-ID": collector.user_id if collector else self.system_name,
                "User-Type": self.user_type,
                "Prompt-Msg-Id": collector.prompt_id if collector else str(uuid.uuid4()),
                "Completion-Msg-Id": collector.new_completion_id() if collector else str(uuid.uuid4()),
            }
        return {name: quote(value, safe=PLAIN) for name, value in headers.items() if value}
