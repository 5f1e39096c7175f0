"""The one way out: what may be reached, and that nothing else is, whatever a name or a redirect says."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field

import pytest

from footnote.adapters.http import egress
from footnote.adapters.http.egress import REFUSED, UNREACHABLE, Egress, Target, is_public, read_url
from footnote.errors import BadRequest

PUBLIC = "93.184.216.34"

INSIDE_V4 = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3 127.255.255.255
169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
168.63.129.16
""".split()
INSIDE_V6 = """
:: ::1 ::2 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1
64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1::1 2001:10::1 2001:20::1 2001:db8::1
2002:7f00:1:: 2002:a9fe:a9fe:: 3fff::1 4000::1 5f00::1 fc00::1 fd00::1 fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1
""".split()
OUTSIDE = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 93.184.216.34 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.0.1 169.255.0.1
172.15.255.255 172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255
2606:4700:4700::1111 2a00:1450:4001:81b::200e ::ffff:8.8.8.8 64:ff9b::8.8.8.8
""".split()

REFUSED_URLS = [
    "",
    "example.com",
    "//example.com/a",
    "file:///etc/passwd",
    "ftp://example.com/a",
    "gopher://example.com:80/_",
    "data:text/html,x",
    "javascript:alert(1)",
    "dict://example.com:80/",
    "ldap://example.com:80/",
    "unix:///var/run/docker.sock",
    "jar:http://example.com!/",
    "http:example.com",
    "http:/example.com",
    "http://",
    "http:///a",
    "http://:80/",
    "http://example.com:/",
    "http://user@example.com/",
    "http://user:password@example.com/",
    "http://example.com@127.0.0.1/",
    "http://@example.com/",
    "http://example.com:22/",
    "http://example.com:0/",
    "http://example.com:6379/",
    "http://example.com:9200/",
    "http://example.com:65536/",
    "http://example.com:-80/",
    "http://example.com:80a/",
    "http://example.com\\@127.0.0.1/",
    "http:\\\\127.0.0.1/",
    "http://example.com/a\\b",
    "http://exa mple.com/",
    "http://example.com/a b",
    "http://example.com/\r\nx: y",
    "http://example.com\t/",
    " http://example.com/",
    "http://example.com/\x00",
    "http://example\u200b.com/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.1/",
    "http://127.0.1/",
    "http://0/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://127.0.0.01/",
    "http://example.1/",
    "http://example.0x/",
    "http://[::1/",
    "http://::1/",
    "http://[::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[v1.x]/",
    "http://[127.0.0.1]/",
    "http://a..b/",
    "http://.example.com/",
    "http://-a.example.com/",
    "http://example.com%2f@x/",
    "http://exam%70le.com/",
    "http://" + "a" * 64 + ".com/",
    "http://" + "a." * 127 + "com/",
    "http://example.com/" + "a" * 4000,
    "http://ex\u2100mple.com/",
]
READ_URLS = {
    "http://example.com": Target(False, "example.com", 80, "/"),
    "HTTPS://Example.COM./A?b=c#d": Target(True, "example.com", 443, "/A?b=c"),
    "https://example.com:8443/%41": Target(True, "example.com", 8443, "/%41"),
    "http://bücher.example/ü?q=ü": Target(False, "xn--bcher-kva.example", 80, "/%C3%BC?q=%C3%BC"),
    "http://１２７．０．０．１/": Target(False, "127.0.0.1", 80, "/"),
    "http://127。0。0。1/": Target(False, "127.0.0.1", 80, "/"),
    "http://①②⑦.⓪.⓪.①/": Target(False, "127.0.0.1", 80, "/"),
    "http://[2606:4700:4700::1111]:8080/": Target(False, "2606:4700:4700::1111", 8080, "/"),
    "http://[::FFFF:127.0.0.1]/": Target(False, "::ffff:7f00:1", 80, "/"),
}


@dataclass
class Wire:
    """Resolves names from a table, one answer after the other, and leads every connection to a server of this machine."""

    port: int
    names: Mapping[str, Sequence[list[str]]] = field(default_factory=dict)
    resolved: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> list[str]:
        answers = self.names[host]
        self.resolved.append(host)
        return answers[min(self.resolved.count(host), len(answers)) - 1]

    async def connect(
        self, address: str, port: int, tls: ssl.SSLContext | None, name: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        self.dialled.append((address, port))
        if address == "93.184.216.0":
            raise ConnectionRefusedError
        return await asyncio.open_connection("127.0.0.1", self.port)

    @property
    def client(self) -> Egress:
        return Egress(resolve=self.resolve, connect=self.connect)


@asynccontextmanager
async def answering(
    *replies: bytes | None, names: Mapping[str, Sequence[list[str]]] | None = None
) -> AsyncIterator[tuple[Wire, list[str]]]:
    """A server that answers one connection after the other; None: it says nothing. What it was asked for is kept."""
    asked: list[str] = []
    queue = list(replies)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        with suppress(ConnectionError), closing(writer):
            if reply := queue.pop(0):
                writer.write(reply)
            else:
                await reader.read()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield Wire(server.sockets[0].getsockname()[1], names or {"example.com": [[PUBLIC]]}), asked
    finally:
        server.close()
        await server.wait_closed()


def ok(body: bytes, *headers: str) -> bytes:
    head = ["HTTP/1.1 200 OK", *(headers or (f"content-length: {len(body)}",))]
    return "\r\n".join([*head, "", ""]).encode() + body


def redirect(to: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n".encode()


@pytest.mark.parametrize("address", INSIDE_V4 + INSIDE_V6)
async def test_an_address_inside_is_never_dialled_as_itself_or_by_a_name(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    host = f"[{address}]" if ":" in address else address
    wire = Wire(1, {"example.com": [[address]], "mixed.example.com": [[PUBLIC, address]]})
    for url in (f"http://{host}/", f"https://{host}:8443/", "http://example.com/", "http://mixed.example.com/"):
        with pytest.raises(BadRequest) as told:
            await wire.client.get(url, max_bytes=100, timeout_s=5)
        assert told.value.detail == UNREACHABLE
    assert wire.dialled == []


@pytest.mark.parametrize("address", OUTSIDE)
def test_addresses_beside_the_closed_networks_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("url", REFUSED_URLS)
async def test_ambiguous_addresses_are_refused_before_any_request(url: str) -> None:
    wire = Wire(1)
    with pytest.raises(BadRequest) as told:
        await wire.client.get(url, max_bytes=100, timeout_s=5)
    assert told.value.detail == REFUSED
    assert (wire.resolved, wire.dialled) == ([], [])


@pytest.mark.parametrize("url", READ_URLS)
def test_an_address_is_read_in_one_way(url: str) -> None:
    assert read_url(url) == READ_URLS[url]


async def test_a_file_is_fetched_from_the_address_that_was_checked_under_its_own_name() -> None:
    async with answering(ok(b"hello")) as (wire, asked):
        assert await wire.client.get("http://example.com:8080/a?b=c", max_bytes=5, timeout_s=5) == b"hello"
    assert wire.dialled == [(PUBLIC, 8080)]
    assert asked[0].startswith("GET /a?b=c HTTP/1.1\r\n")
    told = asked[0].lower()
    assert "\r\nhost: example.com:8080\r\n" in told
    assert not [name for name in ("cookie", "authorization", "referer") if f"\r\n{name}:" in told]


async def test_a_name_that_changes_its_address_after_the_check_changes_nothing() -> None:
    async with answering(ok(b"hello"), names={"example.com": [[PUBLIC], ["127.0.0.1"]]}) as (wire, _):
        assert await wire.client.get("http://example.com/", max_bytes=5, timeout_s=5) == b"hello"
        assert (wire.resolved, wire.dialled) == (["example.com"], [(PUBLIC, 80)])
        with pytest.raises(BadRequest):  # and the next time it is checked again
            await wire.client.get("http://example.com/", max_bytes=5, timeout_s=5)
    assert wire.dialled == [(PUBLIC, 80)]


async def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    async with answering(ok(b"hello"), names={"example.com": [["93.184.216.0", PUBLIC]]}) as (wire, _):
        assert await wire.client.get("http://example.com/", max_bytes=5, timeout_s=5) == b"hello"
    assert wire.dialled == [("93.184.216.0", 80), (PUBLIC, 80)]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_followed(status: int) -> None:
    names = {"example.com": [[PUBLIC]], "other.example.com": [["1.1.1.1"]]}
    async with answering(redirect("http://other.example.com/b", status), redirect("c", status), ok(b"x"), names=names) as (wire, asked):
        assert await wire.client.get("http://example.com/a", max_bytes=5, timeout_s=5) == b"x"
    assert wire.dialled == [(PUBLIC, 80), ("1.1.1.1", 80), ("1.1.1.1", 80)]
    assert [request.split()[1] for request in asked] == ["/a", "/b", "/c"]


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.1/", "http://127.0.0.1:8080/", "//127.0.0.1/", "https://[::1]/", "http://169.254.169.254/latest/meta-data/",
        "http://inside.example.com/", "http://2130706433/", "http://user@example.com/", "http://example.com:22/", "file:///etc/passwd",
        "http://[::ffff:10.0.0.1]/", "gopher://example.com:80/", "http://[", "//[x]/",
    ],
)  # fmt: skip
async def test_a_redirect_leads_inside_as_little_as_an_address_does(to: str) -> None:
    async with answering(redirect(to), ok(b"secret"), names={"example.com": [[PUBLIC]], "inside.example.com": [["10.0.0.1"]]}) as (
        wire,
        asked,
    ):
        with pytest.raises(BadRequest):
            await wire.client.get("http://example.com/", max_bytes=100, timeout_s=5)
    assert (wire.dialled, len(asked)) == ([(PUBLIC, 80)], 1)


async def test_a_real_redirect_to_this_machine_is_not_followed() -> None:
    """With the real connections: only the first name is led here."""
    async with answering(ok(b"secret")) as (inside, asked):
        async with answering(redirect(f"http://127.0.0.1:{inside.port}/")) as (wire, _):

            async def connect(
                address: str, port: int, tls: ssl.SSLContext | None, name: str
            ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
                if address == PUBLIC:
                    return await wire.connect(address, port, tls, name)
                return await egress.connect(address, port, tls, name)

            with pytest.raises(BadRequest):
                await Egress(resolve=wire.resolve, connect=connect).get("http://example.com/", max_bytes=100, timeout_s=5)
        assert asked == []


async def test_redirects_end_after_three() -> None:
    async with answering(*[redirect("/next")] * 3, ok(b"x")) as (wire, _):
        assert await wire.client.get("http://example.com/", max_bytes=5, timeout_s=5) == b"x"
    async with answering(*[redirect("/next")] * 5) as (wire, _):
        with pytest.raises(BadRequest, match="redirects too often"):
            await wire.client.get("http://example.com/", max_bytes=5, timeout_s=5)
        assert len(wire.dialled) == 4


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        (ok(b"123456"), "larger than"),
        (ok(b"123456", "content-length: 3", "transfer-encoding: chunked"), UNREACHABLE),
        (ok(b"6\r\n123456\r\n0\r\n\r\n", "transfer-encoding: chunked"), "larger than"),
        (ok(b"123456789", "connection: close"), "larger than"),
        (ok(b"12", "content-length: 5"), UNREACHABLE),
        (ok(b"12345", "content-length: 5", "content-encoding: gzip"), UNREACHABLE),
        (ok(b"", "content-length: -1"), UNREACHABLE),
        (b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n", UNREACHABLE),
        (b"HTTP/1.1 204 No\r\n\r\n", UNREACHABLE),
        (b"HTTP/1.1 302 No\r\ncontent-length: 0\r\n\r\n", UNREACHABLE),
        (b"HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n", UNREACHABLE),
        (b"220 mail.example.com ESMTP\r\n", UNREACHABLE),
        (b"x" * 100_000, UNREACHABLE),
        (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 20_000 + b"\r\n", UNREACHABLE),
    ],
)
async def test_invalid_and_oversized_files_are_refused(reply: bytes, detail: str) -> None:
    async with answering(reply) as (wire, _):
        with pytest.raises(BadRequest) as told:
            await wire.client.get("http://example.com/", max_bytes=5, timeout_s=5)
    assert detail in told.value.detail


async def test_a_body_longer_than_announced_is_cut() -> None:
    async with answering(ok(b"123456", "content-length: 3")) as (wire, _):
        assert await wire.client.get("http://example.com/", max_bytes=5, timeout_s=5) == b"123"


async def test_a_server_that_says_nothing_is_left_after_the_time() -> None:
    async with answering(None) as (wire, _):
        with pytest.raises(BadRequest, match=r"within 0\.1 s"):
            await wire.client.get("http://example.com/", max_bytes=5, timeout_s=0.1)


async def test_a_certificate_has_to_be_good() -> None:
    """The name that is checked is the address's, with the certificates of this machine."""
    seen: list[tuple[str, ssl.VerifyMode | None, bool]] = []

    async def connect(address: str, port: int, tls: ssl.SSLContext | None, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        seen.append((name, tls.verify_mode, tls.check_hostname))
        raise ssl.SSLCertVerificationError

    with pytest.raises(BadRequest, match="could not be fetched"):
        await Egress(resolve=Wire(1, {"example.com": [[PUBLIC]]}).resolve, connect=connect).get(
            "https://example.com/", max_bytes=5, timeout_s=5
        )
    assert seen == [("example.com", ssl.CERT_REQUIRED, True)]


async def test_a_name_that_does_not_exist_is_told_as_one_that_lies_inside() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        raise OSError(f"{host}: unknown")

    with pytest.raises(BadRequest) as told:
        await Egress(resolve=resolve).get("http://inside.example.com/", max_bytes=5, timeout_s=5)
    assert told.value.detail == UNREACHABLE
