"""Headers of reverse proxies: the client's address, scheme and host, and the path below which they serve this server.

Any client can send `X-Forwarded-…` itself. So these headers are dropped unless the connection comes from an address in the setting
TRUSTED_PROXIES. A proxy appends the address of its client to `X-Forwarded-For`; read from the right, the first one that is not a trusted
proxy is the client's, and everything left of it was written by the client."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote_http.callers import PATH

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
PREFIX = "x-forwarded-"
PREFIX_PATH = re.compile(r"(?:/[\w.~!$&'()*+;=:@%-]+)+/?", re.ASCII)
"""No empty segment, since `//host` would be another server."""


class TrustedProxies:
    """ASGI middleware that applies the headers of trusted proxies, and drops those of others. `trusted`: addresses and networks."""

    def __init__(self, app: ASGIApp, trusted: Sequence[str]) -> None:
        self._app = app
        self._trusted: list[Network] = [ipaddress.ip_network(network, strict=False) for network in trusted]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = self._seen(scope)
        await self._app(scope, receive, send)

    def _seen(self, scope: Scope) -> Scope:
        host, port = scope.get("client") or ("", 0)
        sent = Headers(scope=scope)
        kept = MutableHeaders(raw=[pair for pair in scope["headers"] if not pair[0].startswith(PREFIX.encode())])
        seen = {**scope, "headers": kept.raw}
        if not self._is_trusted(peer := _address(host)):
            return seen
        client, proxies = peer, 1
        for hop in reversed(_parts(sent, "for")):
            if (address := _address(hop)) is None:
                break
            client = address
            if not self._is_trusted(address):
                break
            proxies += 1
        seen["client"] = (str(client), port if client == peer else 0)
        for name in ("proto", "host"):
            if parts := _parts(sent, name):  # the part that the outermost trusted proxy added
                kept[PREFIX + name] = parts[max(0, len(parts) - proxies)]
        if prefix := "".join(_parts(sent, "prefix")[-1:]):
            seen[PATH] = prefix.rstrip("/") if PREFIX_PATH.fullmatch(prefix) else ""
        if kept.get(f"{PREFIX}proto") in ("http", "https"):
            seen["scheme"] = kept[f"{PREFIX}proto"]
        seen["headers"] = kept.raw
        return seen

    def _is_trusted(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._trusted)


def _parts(headers: Headers, name: str) -> list[str]:
    return [part.strip() for value in headers.getlist(PREFIX + name) for part in value.split(",") if part.strip()]


def _address(text: str) -> Address | None:
    """The address in `203.0.113.5`, `203.0.113.5:80`, `2001:db8::7` or `[2001:db8::7]:80`; None if there is none."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
