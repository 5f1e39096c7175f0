"""Tokens of an identity provider: what is signed by its keys, for us and for now, and nothing else."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from footnote.adapters.jwt.tokens import AWAY_S, FRESH_S, STALE_S, UNKNOWN_S, JwtTokens
from footnote.errors import Unauthorized, Unavailable
from tests.conftest import HandClock

# Tokens are signed when this module is read and looked at when their test's turn comes, which may be half an hour later.
LONG_S = 86_400
ISSUER, AUDIENCE, URL = "https://login.example", "footnote", "https://login.example/keys"
RSA = rsa.generate_private_key(65537, 2048)
OTHER = rsa.generate_private_key(65537, 2048)
WEAK = rsa.generate_private_key(65537, 1024)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()


def jwk(key: Any, kid: str | None = "k1", **more: Any) -> dict[str, Any]:
    names = {rsa.RSAPrivateKey: "RS256", ec.EllipticCurvePrivateKey: "ES256", ed25519.Ed25519PrivateKey: "EdDSA"}
    algorithm = jwt.get_algorithm_by_name(next(name for kind, name in names.items() if isinstance(key, kind)))
    made: dict[str, Any] = dict(algorithm.to_jwk(key.public_key(), as_dict=True))
    return made | ({"kid": kid} if kid else {}) | more


def claims(**changes: Any) -> dict[str, Any]:
    made = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": int(time.time()) + LONG_S} | changes
    return {name: value for name, value in made.items() if value is not None}


def sign(key: Any = RSA, algorithm: str = "RS256", kid: str | None = "k1", headers: dict[str, Any] | None = None, **changes: Any) -> str:
    return jwt.encode(claims(**changes), key, algorithm, headers={**({"kid": kid} if kid else {}), **(headers or {})})


def raw(header: dict[str, Any], body: dict[str, Any], signature: Callable[[bytes], bytes]) -> str:
    def part(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    signed = f"{part(json.dumps(header).encode())}.{part(json.dumps(body).encode())}"
    return f"{signed}.{part(signature(signed.encode()))}"


class Issuer:
    """Publishes keys, counts who asks, and can be down."""

    def __init__(self, *keys: dict[str, Any]) -> None:
        self.keys = list(keys)
        self.asked = 0
        self.down = False

    def __call__(self, url: str) -> bytes:
        assert url == URL
        self.asked += 1
        if self.down:
            raise OSError("unreachable")
        return json.dumps({"keys": self.keys}).encode()


def tokens(issuer: Issuer, clock: HandClock | None = None, algorithm: str = "RS256") -> JwtTokens:
    return JwtTokens(ISSUER, AUDIENCE, URL, algorithm, fetch=issuer, timer=clock or HandClock())


@pytest.mark.parametrize(("key", "algorithm"), [(RSA, "RS256"), (EC, "ES256"), (ED, "EdDSA")], ids=["rsa", "ec", "ed"])
async def test_a_token_of_the_issuer_says_who_asks(key: Any, algorithm: str) -> None:
    said = await tokens(Issuer(jwk(key)), algorithm=algorithm).claims(sign(key, algorithm, groups=["staff"]))
    assert (said["sub"], said["groups"]) == ("ann", ["staff"])


async def test_the_keys_that_can_be_used_are_counted() -> None:
    assert await tokens(Issuer(jwk(RSA), jwk(OTHER, "k2"), jwk(WEAK, "k3"), jwk(EC, "k4"))).count_keys() == 2
    assert await tokens(Issuer(jwk(RSA))).count_keys() == 1
    assert await tokens(Issuer(jwk(RSA, None))).count_keys() == 1
    assert await tokens(Issuer()).count_keys() == 0


async def test_keys_that_cannot_be_had_are_not_counted() -> None:
    issuer = Issuer(jwk(RSA))
    issuer.down = True
    with pytest.raises(Unavailable, match="AUTH__JWKS_URL"):
        await tokens(issuer).count_keys()


async def test_a_token_need_not_name_the_only_key() -> None:
    assert (await tokens(Issuer(jwk(RSA, None))).claims(sign(kid=None)))["sub"] == "ann"


PEM = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
DER = RSA.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
N = jwk(RSA)["n"].encode()


def hs256(secret: bytes) -> str:
    return raw({"alg": "HS256", "typ": "JWT", "kid": "k1"}, claims(), lambda data: hmac.new(secret, data, hashlib.sha256).digest())


NOW = int(time.time())
BAD = {
    "empty": "",
    "no token": "hello",
    "two parts": "a.b",
    "four parts": "a.b.c.d",
    "not base64": "§.§.§",
    "surrogate": "\udce9.\udce9.\udce9",
    "alg none": raw({"alg": "none", "kid": "k1"}, claims(), lambda _: b""),
    "alg None": raw({"alg": "None", "kid": "k1"}, claims(), lambda _: b""),
    "alg nOnE with a signature": raw({"alg": "nOnE", "kid": "k1"}, claims(), lambda _: b"x"),
    "no alg": raw({"kid": "k1"}, claims(), lambda _: b"x"),
    "alg a list": raw({"alg": ["RS256"], "kid": "k1"}, claims(), lambda _: b"x"),
    "hs256 by the pem": hs256(PEM),
    "hs256 by the pem without its last line": hs256(PEM.strip()),
    "hs256 by the der": hs256(DER),
    "hs256 by the modulus": hs256(N),
    "hs256 by nothing": hs256(b""),
    "rs512": sign(algorithm="RS512"),
    "ps256": sign(algorithm="PS256"),
    "ec instead of rsa": sign(EC, "ES256"),
    "ed instead of rsa": sign(ED, "EdDSA"),
    "another key of the same name": sign(OTHER),
    "an unknown key": sign(OTHER, kid="k2"),
    "no key named, two there": sign(kid=None),
    "kid a path": sign(OTHER, kid="../../etc/passwd"),
    "kid sql": sign(OTHER, kid="' OR 1=1 --"),
    "kid a number": raw({"alg": "RS256", "kid": 1}, claims(), lambda _: b"x"),
    "a key brought along": sign(OTHER, headers={"jwk": jwk(OTHER)}),
    "an address of keys": sign(OTHER, headers={"jku": "https://evil.example/keys"}),
    "a certificate's address": sign(OTHER, headers={"x5u": "https://evil.example/cert"}),
    "a certificate brought along": sign(OTHER, headers={"x5c": ["MIIB"]}),
    "a critical extension": sign(headers={"crit": ["exp"], "exp": NOW}),
    "an unknown critical extension": sign(headers={"crit": ["b64"], "b64": False}),
    "another issuer": sign(iss="https://evil.example"),
    "an issuer that begins alike": sign(iss=f"{ISSUER}.evil.example"),
    "no issuer": sign(iss=None),
    "another audience": sign(aud="other"),
    "other audiences": sign(aud=["a", "b"]),
    "no audience": sign(aud=None),
    "expired": sign(exp=NOW - 60),
    "expires never": sign(exp=None),
    "expires with words": raw({"alg": "RS256", "kid": "k1"}, claims(exp="never"), lambda _: b"x"),
    "not yet": sign(nbf=NOW + LONG_S),
    "issued in the future": sign(iat=NOW + LONG_S),
    "nobody": sign(sub=None),
    "cut": sign()[:-4],
    "signature of another": sign().rpartition(".")[0] + "." + sign(sub="bob").rpartition(".")[2],
    "no signature": sign().rpartition(".")[0] + ".",
}


@pytest.mark.parametrize("token", BAD.values(), ids=BAD)
async def test_everything_else_is_refused(token: str) -> None:
    with pytest.raises(Unauthorized):
        await tokens(Issuer(jwk(RSA), jwk(RSA, "k3"))).claims(token)


@pytest.mark.parametrize(
    "key",
    [
        jwk(WEAK),
        jwk(RSA, use="enc"),
        jwk(RSA, alg="RS512"),
        jwk(EC),
        {"kty": "RSA", "kid": "k1"},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "k1"},
    ],
    ids=["weak", "for encryption", "for another algorithm", "of another type", "broken", "symmetric"],
)
async def test_keys_that_cannot_vouch_are_passed_over(key: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        await tokens(Issuer(key)).claims(sign())


async def test_keys_are_fetched_once_and_anew_after_a_while(clock: HandClock) -> None:
    issuer = Issuer(jwk(RSA))
    checked = tokens(issuer, clock)
    for _ in range(3):
        await checked.claims(sign())
    assert issuer.asked == 1
    clock.advance(FRESH_S + 1)
    await checked.claims(sign())
    assert issuer.asked == 2


async def test_a_key_that_was_taken_back_is_no_good_any_more(clock: HandClock) -> None:
    issuer = Issuer(jwk(RSA))
    checked = tokens(issuer, clock)
    await checked.claims(sign())
    issuer.keys = [jwk(OTHER, "k2")]
    clock.advance(FRESH_S + 1)
    with pytest.raises(Unauthorized):
        await checked.claims(sign())


async def test_unknown_keys_are_looked_for_once_a_minute(clock: HandClock) -> None:
    issuer = Issuer(jwk(RSA))
    checked = tokens(issuer, clock)
    await checked.claims(sign())
    clock.advance(UNKNOWN_S)
    issuer.keys.append(jwk(OTHER, "k2"))
    assert (await checked.claims(sign(OTHER, kid="k2")))["sub"] == "ann"
    for number in range(50):
        with pytest.raises(Unauthorized):
            await checked.claims(sign(OTHER, kid=f"x{number}"))
    assert issuer.asked == 2


async def test_known_keys_count_for_a_day_while_the_issuer_is_away(clock: HandClock) -> None:
    issuer = Issuer(jwk(RSA))
    checked = tokens(issuer, clock)
    await checked.claims(sign())
    issuer.down = True
    clock.advance(STALE_S - 1)
    await checked.claims(sign())
    clock.advance(UNKNOWN_S)
    with pytest.raises(Unavailable):
        await checked.claims(sign())


async def test_an_issuer_that_was_never_reached_lets_nobody_in() -> None:
    issuer = Issuer()
    issuer.down = True
    with pytest.raises(Unavailable):
        await tokens(issuer).claims(sign())


async def test_an_issuer_that_was_away_at_the_start_is_asked_again_soon(clock: HandClock) -> None:
    issuer = Issuer(jwk(RSA))
    issuer.down = True
    checked = tokens(issuer, clock)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await checked.claims(sign())
    assert issuer.asked == 1
    issuer.down = False
    clock.advance(AWAY_S + 1)
    assert (await checked.claims(sign()))["sub"] == "ann"


@pytest.mark.parametrize("reply", [b"", b"{}", b"[]", b"<html>", b'{"keys": 3}', b"\xff"])
async def test_an_invalid_key_set_admits_nobody(reply: bytes) -> None:
    with pytest.raises(Unavailable):
        await JwtTokens(ISSUER, AUDIENCE, URL, "RS256", fetch=lambda _: reply, timer=HandClock()).claims(sign())
