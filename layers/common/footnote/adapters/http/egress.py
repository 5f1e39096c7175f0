"""The one way out to addresses that users name: GET of a public http(s) address, and nothing else.

The host is resolved here, every address that it has must be public, and the connection goes to the very address that was
checked: a name that resolves to something else a moment later changes nothing. No proxies, cookies or keys go along. Each
redirect is checked as the first address was. Whatever was wrong with a host is told in the same words, so that nobody can
learn the names and addresses inside by asking.
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
HOPS = 3
"""Most redirects that are followed."""
READ = 2**16

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""(host, port) → its addresses."""
Connect = Callable[[str, int, ssl.SSLContext | None, str], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
"""(address, port, TLS or none, the name that the certificate must have)."""

SAFE = "/%:@!$&'()*+,;=~-._"
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label like this makes a host a number in some clients' eyes, whatever base it is written in."""

CLOSED = tuple(
    ipaddress.ip_network(each)
    for each in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # Azure's own, though it looks public
    )
)  # fmt: skip
OPEN_V6 = ipaddress.IPv6Network("2000::/3")
CLOSED_V6 = tuple(ipaddress.ip_network(each) for each in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
"""Of the global ones: special purposes, Teredo among them; documentation; 6to4."""
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

REFUSED = "The address cannot be used. It has to be a public http or https address, at port 80, 443, 8080 or 8443."
UNREACHABLE = "Nothing could be fetched from this address. Is it public, and is the file there?"


@dataclass(frozen=True, slots=True)
class Target:
    """A checked address: `host` in its ASCII form, an IP without brackets; `path` with the query."""

    tls: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def is_public(address: Address) -> bool:
    """True for what everybody on the internet could reach. An IPv4 address inside an IPv6 one counts as itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        return address in OPEN_V6 and not any(address in network for network in CLOSED_V6)
    return not any(address in network for network in CLOSED)


def read_url(url: str) -> Target:
    """BadRequest for whatever two programs might read in two ways."""
    if len(url) > 4000 or "\\" in url or any(char.isspace() or not char.isprintable() for char in url):
        raise BadRequest(REFUSED)
    try:
        parts = urlsplit(url)
        port = parts.port
        host = _read_host(parts.hostname or "", bracketed="[" in parts.netloc)
    except ValueError as exc:  # urlsplit's own, and of hosts that cannot be written in ASCII
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
    except ValueError as exc:  # brackets that hold no address
        raise BadRequest(REFUSED) from exc


def _read_host(host: str, *, bracketed: bool) -> str:
    if bracketed:
        return str(ipaddress.IPv6Address(host)) if "%" not in host else _refuse()
    host = host.encode("idna").decode().lower().removesuffix(".")  # full-width digits and dots become plain ones here
    labels = host.split(".")
    if NUMBER.fullmatch(labels[-1]):
        return str(ipaddress.IPv4Address(host))  # four decimal numbers without leading zeros, nothing else
    return host if len(host) <= 253 and all(LABEL.fullmatch(label) for label in labels) else _refuse()


def _refuse() -> str:
    raise ValueError("no host")


async def resolve(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


async def connect(address: str, port: int, tls: ssl.SSLContext | None, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(address, port, ssl=tls, server_hostname=name if tls else None, limit=READ)


class Egress:
    """Fetches what lies at public addresses."""

    def __init__(self, *, resolve: Resolve = resolve, connect: Connect = connect) -> None:
        self._resolve, self._connect = resolve, connect
        self._tls: ssl.SSLContext | None = None

    async def get(self, url: str, *, max_bytes: int, timeout_s: float) -> bytes:
        """The body of a 200. BadRequest for everything else: refused, too large, too slow, not there."""
        try:
            async with asyncio.timeout(timeout_s):
                for _ in range(HOPS + 1):
                    target = read_url(url)
                    found = await self._fetch(target, max_bytes)
                    if isinstance(found, bytes):
                        return found
                    url = _join(target, found)
        except TimeoutError as exc:
            raise BadRequest(f"The address did not answer within {timeout_s:g} s.") from exc
        raise BadRequest("The address leads from one to another without end.")

    async def _fetch(self, target: Target, max_bytes: int) -> bytes | str:
        """The body, or where a redirect leads."""
        import h11

        try:
            reader, writer = await self._open(target)
        except (OSError, ValueError) as exc:  # of names that cannot be resolved, connections, TLS
            raise BadRequest(UNREACHABLE) from exc
        try:
            return await _exchange(target, max_bytes, reader, writer)
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


async def _exchange(target: Target, max_bytes: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | str:
    import h11

    wire = h11.Connection(h11.CLIENT)
    headers = [
        ("host", target.authority),
        ("user-agent", "footnote"),
        ("accept", "image/*"),
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
            case h11.Response(status_code=status, headers=told):
                known = {name: value.decode("latin-1") for name, value in told}
                if status in (301, 302, 303, 307, 308) and b"location" in known:
                    return known[b"location"]
                if status != 200 or known.get(b"content-encoding", "identity") != "identity":
                    raise BadRequest(UNREACHABLE)
            case h11.Data(data=data):  # what is read counts, not what was announced
                body += data
                if len(body) > max_bytes:
                    raise BadRequest(f"What lies at the address is larger than {max_bytes / 2**20:g} MiB.")
            case h11.EndOfMessage():
                return bytes(body)
            case h11.InformationalResponse():
                pass
            case _:
                raise BadRequest(UNREACHABLE)
