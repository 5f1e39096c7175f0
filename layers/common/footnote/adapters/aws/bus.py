"""Events for an EventBridge bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from footnote.adapters.aws.client import Client
from footnote.adapters.shared.bus import SOURCE, encode_detail
from footnote.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient


class EventBridgeBus:
    """`ports.Bus` on EventBridge."""

    def __init__(self, bus: str) -> None:
        self._bus = bus
        self._events: Client[EventBridgeClient] = Client(
            "events", (Unavailable, "The event bus cannot be reached. Check AWS__EVENT_BUS and the function's permissions.")
        )

    async def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """TooLarge above 256 KB."""
        text = encode_detail(detail_type, detail)

        def send(events: EventBridgeClient) -> None:
            entry = {"EventBusName": self._bus, "Source": SOURCE, "DetailType": detail_type, "Detail": text}
            reply = events.put_events(Entries=[entry])  # type: ignore[list-item]
            if reply["FailedEntryCount"]:  # the request succeeded, the event was rejected
                code = reply["Entries"][0].get("ErrorCode", "")
                raise events.exceptions.ClientError({"Error": {"Code": code}}, "PutEvents")

        await self._events.call(send)

    async def close(self) -> None:
        """Closes the connections."""
        await self._events.close()
