"""The SSRF guard: GET requests to public http(s) URLs that users name, and nothing else.

The host is resolved here, all of its addresses must be public, and the connection goes to an address that was checked, so
that a name which resolves differently a moment later changes nothing. No proxies, cookies or keys are sent. Each redirect
is checked like the first URL. All faults of a host give the same message, so that internal names and addresses cannot be
probed. It is built on h11 because an HTTP client such as httpx2 resolves the host itself: a check before the request would
only see the name.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from footnote.errors import BadRequest

PORTS = frozenset({80, 443, 8080, 8443})
MAX_REDIRECTS = 3
READ = 2**16
"""Bytes per read."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""(host, port) → the host's IP addresses."""
Connect = Callable[[str, int, ssl.SSLContext | None, str], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
"""(address, port, TLS context or None, host name for the certificate) → the connection."""

SAFE = "/%:@!$&'()*+,;=~-._"
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""Some clients read a host whose last label looks like this as an IPv4 number, in whatever base."""

CLOSED = tuple(
    ipaddress.ip_network(each)
    for each in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # Azure's platform address, in a public range
    )
)  # fmt: skip
OPEN_V6 = ipaddress.IPv6Network("2000::/3")
CLOSED_V6 = tuple(ipaddress.ip_network(each) for each in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
"""Exceptions within OPEN_V6: special purposes including Teredo, documentation, 6to4."""
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

REFUSED = "This URL cannot be used. It has to be a public http or https URL with port 80, 443, 8080 or 8443."
ELSEWHERE = "This URL leads to another host."
UNREACHABLE = "This URL could not be fetched. Is it public, and does the file exist?"


@dataclass(frozen=True, slots=True)
class Target:
    """A checked URL: `host` in its ASCII form, an IP address without brackets; `path` includes the query."""

    tls: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host with its port unless that is the default, for the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def is_public(address: Address) -> bool:
    """Whether an address is publicly routable. An IPv4 address embedded in an IPv6 address is checked as such."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        return address in OPEN_V6 and not any(address in network for network in CLOSED_V6)
    return not any(address in network for network in CLOSED)


def read_url(url: str) -> Target:
    """Parses and checks a URL; BadRequest also for a URL that two parsers might read differently."""
    if len(url) > 4000 or "\\" in url or any(char.isspace() or not char.isprintable() for char in url):
        raise BadRequest(REFUSED)
    try:
        parts = urlsplit(url)
        port = parts.port
        host = _read_host(parts.hostname or "", bracketed="[" in parts.netloc)
    except ValueError as exc:  # from urlsplit, or a host without an ASCII form
        raise BadRequest(REFUSED) from exc
    tls = parts.scheme == "https"
    port = (443 if tls else 80) if port is None else port
    if parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.netloc.endswith(":") or port not in PORTS:
        raise BadRequest(REFUSED)
    query = f"?{quote(parts.query, safe=f'{SAFE}?')}" if parts.query else ""
    return Target(tls, host, port, quote(parts.path or "/", safe=SAFE) + query)


def _join(target: Target, location: str) -> str:
    try:
        return urljoin(f"{'https' if target.tls else 'http'}://{target.authority}{target.path}", location)
    except ValueError as exc:  # invalid brackets
        raise BadRequest(REFUSED) from exc


def _read_host(host: str, *, bracketed: bool) -> str:
    if bracketed:
        return str(ipaddress.IPv6Address(host)) if "%" not in host else _refuse()
    host = host.encode("idna").decode().lower().removesuffix(".")  # normalizes full-width digits and dots
    labels = host.split(".")
    if NUMBER.fullmatch(labels[-1]):
        return str(ipaddress.IPv4Address(host))  # accepts only four decimal numbers without leading zeros
    return host if len(host) <= 253 and all(LABEL.fullmatch(label) for label in labels) else _refuse()


def _refuse() -> str:
    raise ValueError("no host")


async def resolve(host: str, port: int) -> list[str]:
    """The host's IP addresses from the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


async def connect(address: str, port: int, tls: ssl.SSLContext | None, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Opens a connection to an IP address; TLS verifies `name`."""
    return await asyncio.open_connection(address, port, ssl=tls, server_hostname=name if tls else None, limit=READ)


class Egress:
    """Fetches public URLs."""

    def __init__(self, *, resolve: Resolve = resolve, connect: Connect = connect) -> None:
        self._resolve, self._connect = resolve, connect
        self._tls: ssl.SSLContext | None = None

    async def get(self, url: str, *, max_bytes: int, timeout_s: float, accept: str = "*/*", host: str | None = None) -> bytes:
        """The body of a response with status 200. `accept`: the media types that are asked for. `host`: the only one, as in
        `Target`, that is asked, also by a redirect.

        BadRequest for everything else: refused, too large, too slow, not found."""
        try:
            async with asyncio.timeout(timeout_s):
                for _ in range(MAX_REDIRECTS + 1):
                    target = read_url(url)
                    if host not in (None, target.host):
                        raise BadRequest(ELSEWHERE)
                    found = await self._fetch(target, max_bytes, accept)
                    if isinstance(found, bytes):
                        return found
                    url = _join(target, found)
        except TimeoutError as exc:
            raise BadRequest(f"The URL did not answer within {timeout_s:g} s.") from exc
        raise BadRequest("The URL redirects too often.")

    async def _fetch(self, target: Target, max_bytes: int, accept: str) -> bytes | str:
        """The body, or the location of a redirect."""
        import h11

        try:
            reader, writer = await self._open(target)
        except (OSError, ValueError) as exc:  # name resolution, connection or TLS failed
            raise BadRequest(UNREACHABLE) from exc
        try:
            return await _exchange(target, max_bytes, accept, reader, writer)
        except (OSError, h11.RemoteProtocolError) as exc:
            raise BadRequest(UNREACHABLE) from exc
        finally:
            writer.transport.abort()

    async def _open(self, target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            addresses = [str(ipaddress.ip_address(target.host))]
        except ValueError:
            addresses = await self._resolve(target.host, target.port)
        if not addresses or not all(is_public(ipaddress.ip_address(address)) for address in addresses):
            raise BadRequest(UNREACHABLE)
        if target.tls and self._tls is None:
            self._tls = await asyncio.to_thread(ssl.create_default_context)
        for address in addresses[:-1]:
            with suppress(OSError):
                return await self._connect(address, target.port, self._tls if target.tls else None, target.host)
        return await self._connect(addresses[-1], target.port, self._tls if target.tls else None, target.host)


async def _exchange(target: Target, max_bytes: int, accept: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | str:
    import h11

    wire = h11.Connection(h11.CLIENT)
    headers = [
        ("host", target.authority),
        ("user-agent", "footnote"),
        ("accept", accept),
        ("accept-encoding", "identity"),
        ("connection", "close"),
    ]
    writer.write(wire.send(h11.Request(method="GET", target=target.path, headers=headers)) or b"")
    writer.write(wire.send(h11.EndOfMessage()) or b"")
    await writer.drain()
    body = bytearray()
    while True:
        match wire.next_event():
            case h11.NEED_DATA:
                wire.receive_data(await reader.read(READ))
            case h11.Response(status_code=status, headers=received):
                known = {name: value.decode("latin-1") for name, value in received}
                if status in (301, 302, 303, 307, 308) and b"location" in known:
                    return known[b"location"]
                if status != 200 or known.get(b"content-encoding", "identity") != "identity":
                    raise BadRequest(UNREACHABLE)
            case h11.Data(data=data):  # the received size counts, not Content-Length
                body += data
                if len(body) > max_bytes:
                    raise BadRequest(f"The file at this URL is larger than {max_bytes / 2**20:g} MiB.")
            case h11.EndOfMessage():
                return bytes(body)
            case h11.InformationalResponse():
                pass
            case _:
                raise BadRequest(UNREACHABLE)
