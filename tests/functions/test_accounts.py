"""Accounts: invitations, names and passwords, and what attackers try with them."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.guard.audit import read_audit
from footnote.guard.identity import LOCAL, Session, open_session
from footnote.guard.limits import TRIES_BY_ADDRESS, TRIES_BY_NAME, TRY_WINDOW_S
from footnote.settings import LLM, Auth, Embedding, Settings
from footnote_query.app import create_app as query
from tests.functions.conftest import ASK, OpenClient, as_caller

PASSWORD, OTHER = "three quiet otters", "four noisy otters"
INVALID = "This invitation was used already, has expired or was withdrawn. Ask for a new one."


@pytest.fixture
async def core(tmp_path: Path, clock: Any) -> Any:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), auth=Auth(mode="session"))
    made = Core(settings, clock=clock)
    yield made
    await made.close()


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(query)


async def as_root(core: Core, *groups: str) -> dict[str, str]:
    admin = Session("root", groups, "admin")
    return {"authorization": f"Bearer {await open_session(admin, 1e9, cache=core.cache, records=core.records, now=core.clock())}"}


async def invite(core: Core, client: httpx.AsyncClient, name: str = "ada", **asked: Any) -> str:
    """→ the secret of the link."""
    reply = await client.post("/invitations", json={"name": name, **asked}, headers=await as_root(core, "staff", "crew"))
    assert reply.status_code == 201, reply.text
    return str(reply.json()["url"].rpartition("/")[2])


async def join(core: Core, client: httpx.AsyncClient, name: str = "ada", password: str = PASSWORD, **asked: Any) -> httpx.Response:
    secret = await invite(core, client, name, **asked)
    return await client.post("/accounts", json={"name": name, "invitation": secret, "password": password})


async def sign_in(client: httpx.AsyncClient, name: str = "ada", password: str = PASSWORD, **headers: str) -> httpx.Response:
    client.cookies.clear()
    return await client.post("/sessions", json={"name": name, "password": password}, headers=headers)


async def stays_in(client: httpx.AsyncClient, reply: httpx.Response) -> bool:
    """Whether the session that the reply opened is valid."""
    client.cookies.clear()
    return (await client.get("/me/preferences", headers={"api-key": reply.cookies["footnote_session"]})).status_code == 200


# --- what people do ------------------------------------------------------------------------------


async def test_an_invited_person_chooses_a_password_and_signs_in_with_it(core: Core, client: httpx.AsyncClient) -> None:
    assert (await client.get("/sign-in")).json() == {"passwords": True}
    made = await client.post("/invitations", json={"name": " Ada ", "groups": ["staff"]}, headers=await as_root(core, "staff"))
    assert (made.status_code, made.headers["cache-control"], made.json()["name"]) == (201, "no-store", "Ada")
    address, _, secret = made.json()["url"].rpartition("/")
    assert address == "http://footnote.test/#/invitation/Ada"
    joined = await client.post("/accounts", json={"name": "Ada", "invitation": secret, "password": PASSWORD})
    assert joined.status_code == 204
    cookie = joined.headers["set-cookie"].lower()
    assert [part for part in ("httponly", "samesite=strict", "path=/") if part not in cookie] == []
    signed_in = await sign_in(client, "ADA")
    own = (await client.get("/me/preferences", headers={"api-key": signed_in.cookies["footnote_session"]})).json()
    assert (own["own_group"], own["groups"], own["is_admin"], own["has_password"]) == ("user:Ada", ["staff"], False, True)
    listed = (await client.get("/accounts", headers=await as_root(core))).json()["data"]
    assert [(each["name"], each["state"], each["created_by"]) for each in listed] == [("Ada", "active", "root")]
    actions = [(each.user_id, each.action) for each in (await read_audit(core.records, 9)).data]
    assert sorted(actions) == [("Ada", "account.accept"), *[("Ada", "session.create")] * 2, ("root", "account.invite")]


async def test_no_store_and_no_reply_holds_a_password_or_an_invitation(core: Core, client: httpx.AsyncClient, tmp_path: Path) -> None:
    secret = await invite(core, client)
    await client.post("/accounts", json={"name": "ada", "invitation": secret, "password": PASSWORD})
    held = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert PASSWORD.encode() not in held
    assert secret.encode() not in held
    assert b"$argon2id$v=19$m=19456,t=2,p=1$" in held
    assert "argon2" not in (await client.get("/accounts", headers=await as_root(core))).text


async def test_the_owner_changes_the_password_and_other_sessions_end(core: Core, client: httpx.AsyncClient) -> None:
    first, here = await join(core, client), await sign_in(client)
    client.cookies.clear()
    headers = {"api-key": here.cookies["footnote_session"]}
    wrong = await client.put("/me/password", json={"password": OTHER, "new_password": "five odd otters"}, headers=headers)
    assert (wrong.status_code, wrong.json()["detail"]) == (403, "The current password is wrong.")
    assert (await client.put("/me/password", json={"password": PASSWORD, "new_password": OTHER}, headers=headers)).status_code == 204
    assert [await stays_in(client, each) for each in (first, here)] == [False, True]
    assert [(await sign_in(client, password=each)).status_code for each in (PASSWORD, OTHER)] == [401, 204]
    client.cookies.clear()
    by_token = await client.put("/me/password", json={"password": PASSWORD, "new_password": OTHER}, headers=await as_root(core))
    assert by_token.status_code == 404  # root has no account


async def test_a_removed_account_and_a_withdrawn_invitation_end_at_once(core: Core, client: httpx.AsyncClient) -> None:
    joined = await join(core, client)
    pending = await invite(core, client, "bob")
    root = await as_root(core)
    for name in ("ada", "bob"):
        assert (await client.delete(f"/accounts/{name}", headers=root)).status_code == 204
    assert (await client.delete("/accounts/ada", headers=root)).status_code == 404
    assert not await stays_in(client, joined)
    assert (await sign_in(client)).status_code == 401
    reply = await client.post("/accounts", json={"name": "bob", "invitation": pending, "password": PASSWORD})
    assert (reply.status_code, reply.json()["detail"]) == (401, INVALID)
    assert (await join(core, client)).status_code == 204  # nothing was asked yet, so the name is free


async def test_a_reset_ends_the_password_and_all_sessions_until_another_is_chosen(core: Core, client: httpx.AsyncClient) -> None:
    joined = await join(core, client, groups=["staff"])
    account, secret = await core.accounts.reset("Ada", 60, by=LOCAL.user_id)
    assert account.name == "ada"
    assert (await sign_in(client)).status_code == 401
    again = await client.post("/accounts", json={"name": "ada", "invitation": secret, "password": OTHER})
    assert again.status_code == 204
    assert [await stays_in(client, each) for each in (joined, again)] == [False, True]
    found = await core.accounts.find("ada")
    assert found
    assert found.groups == ("staff",)


# --- what nobody may do --------------------------------------------------------------------------


async def test_an_invitation_works_once_and_not_for_long(core: Core, client: httpx.AsyncClient) -> None:
    secret = await invite(core, client, hours=1)
    body = {"name": "ada", "invitation": secret, "password": PASSWORD}
    assert (await client.post("/accounts", json={**body, "password": "short"})).status_code == 422  # which does not use it up
    assert (await client.post("/accounts", json={**body, "invitation": "guess"})).status_code == 401
    both = await asyncio.gather(*(client.post("/accounts", json={**body, "password": each}) for each in (PASSWORD, OTHER)))
    assert sorted(each.status_code for each in both) == [204, 401]
    assert (await client.post("/accounts", json=body)).json()["detail"] == INVALID
    late = await invite(core, client, "bob", hours=1)
    newer = await invite(core, client, "bob", hours=1)
    core.clock.advance(3599)  # type: ignore[attr-defined]
    assert (await client.post("/accounts", json={"name": "bob", "invitation": late, "password": PASSWORD})).status_code == 401
    core.clock.advance(2)  # type: ignore[attr-defined]
    assert (await client.post("/accounts", json={"name": "bob", "invitation": newer, "password": PASSWORD})).status_code == 401


async def test_an_admin_invites_only_into_own_groups_and_nobody_who_is_known(core: Core, client: httpx.AsyncClient) -> None:
    root = await as_root(core, "staff")
    reply = await client.post("/invitations", json={"name": "eva", "groups": ["board"]}, headers=root)
    assert (reply.status_code, reply.json()["detail"]) == (403, "You are not in board. You can give only groups that you are in.")
    joined = await join(core, client)
    taken = await client.post("/invitations", json={"name": "ADA"}, headers=root)
    assert (taken.status_code, "footnote user reset" in taken.json()["detail"]) == (409, True)
    session = await client.post("/sessions/new", json={"user_id": "ada"}, headers=root)
    assert session.status_code == 409, "an admin would read what ada will ask"
    headers = {"api-key": joined.cookies["footnote_session"]}
    client.cookies.clear()
    await client.post("/ask", json=ASK, headers=headers)
    assert (await client.post("/invitations", json={"name": "eva"}, headers=headers)).status_code == 403
    await client.delete("/accounts/ada", headers=root)
    known = await client.post("/invitations", json={"name": "ada"}, headers=root)
    assert (known.status_code, "conversations" in known.json()["detail"]) == (409, True)


async def test_a_session_of_the_name_ends_when_its_owner_accepts(core: Core, client: httpx.AsyncClient) -> None:
    """An admin who made it before would read what the owner asks from now on."""
    made = await client.post("/sessions/new", json={"user_id": "ada", "hours": 8000}, headers=await as_root(core))
    await join(core, client)
    client.cookies.clear()
    assert (await client.get("/me/preferences", headers={"api-key": made.json()["token"]})).status_code == 401


async def test_a_session_is_never_one_that_the_browser_had_before(core: Core, client: httpx.AsyncClient) -> None:
    await join(core, client)
    planted = await open_session(Session("mallory"), 60, cache=core.cache, records=core.records, now=core.clock())
    client.cookies.set("footnote_session", planted)
    reply = await client.post("/sessions", json={"name": "ada", "password": PASSWORD})
    assert reply.cookies["footnote_session"] != planted
    assert await stays_in(client, reply)
    assert (await client.get("/me/preferences", headers={"api-key": planted})).status_code == 401


async def test_unknown_names_get_the_same_words_after_the_same_work(core: Core, client: httpx.AsyncClient) -> None:
    """Of five tries each, the faster half of known and of unknown names takes alike: without the work it would be a hundredth."""
    await join(core, client)
    bodies, spent = [], []
    for name in ("ada", "nobody"):
        replies, times = [], []
        for _ in range(5):
            began = time.process_time()
            replies.append(await sign_in(client, name, "not the password"))
            times.append(time.process_time() - began)
        bodies.append({(each.status_code, each.json()["detail"]) for each in replies})
        spent.append(statistics.median(times))
    assert bodies[0] == bodies[1] == {(401, "The name or the password is wrong.")}
    assert spent[1] > spent[0] / 4
    made = [await client.post("/accounts", json={"name": each, "invitation": "guess", "password": PASSWORD}) for each in ("ada", "nobody")]
    assert {(each.status_code, each.json()["detail"]) for each in made} == {(401, INVALID)}


async def test_guessing_ends_by_name_whatever_the_address(core: Core, client: httpx.AsyncClient) -> None:
    await join(core, client)
    for number in range(TRIES_BY_NAME):
        assert (await sign_in(client, "ada" if number % 2 else "ADA ", f"guess number {number}")).status_code == 401
    right = await sign_in(client)
    assert (right.status_code, "failed sign-ins in 15 minutes" in right.json()["detail"]) == (429, True)
    assert int(right.headers["retry-after"]) <= TRY_WINDOW_S
    core.clock.advance(TRY_WINDOW_S)  # type: ignore[attr-defined]
    assert [(await sign_in(client)).status_code for _ in range(TRIES_BY_NAME + 1)] == [204] * (TRIES_BY_NAME + 1)


async def test_guessing_ends_by_address_whatever_the_names(core: Core, client: httpx.AsyncClient, monkeypatch: Any) -> None:
    monkeypatch.setattr("footnote.guard.limits.TRIES_BY_ADDRESS", 5)
    assert TRIES_BY_ADDRESS > 5
    statuses = [(await sign_in(client, f"user{number}", "123456789012")).status_code for number in range(6)]
    assert statuses == [401] * 5 + [429]
    body = {"name": "eva", "invitation": "guess", "password": PASSWORD}
    assert (await client.post("/accounts", json=body)).status_code == 429


@pytest.mark.parametrize(
    ("password", "reason"),
    [("eleven char", "12 to 256"), ("ababababababab", "easy to guess"), ("hello Ada hello", "easy to guess"), ("o" * 257, "")],
)
async def test_a_password_that_is_easy_to_guess_is_refused(password: str, reason: str, core: Core, client: httpx.AsyncClient) -> None:
    reply = await join(core, client, password=password)
    assert (reply.status_code, reason in reply.json()["detail"], password in reply.text) == (422, True, False)


@pytest.mark.parametrize("body", [{}, {"token": "t", "name": "ada", "password": "p"}, {"name": "ada"}, {"password": "p"}])
async def test_a_sign_in_is_by_token_or_by_name_and_password(body: dict[str, str], core: Core, client: httpx.AsyncClient) -> None:
    reply = await client.post("/sessions", json=body)
    assert (reply.status_code, "give either a token, or a name and a password" in reply.json()["detail"]) == (422, True)


@pytest.mark.parametrize("auth", [Auth(mode="session", accounts=False), Auth(mode="none"), Auth(mode="api_key"), Auth(mode="jwt")])
async def test_without_accounts_there_are_no_passwords(auth: Auth, core: Core, open_client: OpenClient) -> None:
    core.live.current = core.settings.model_copy(update={"auth": auth})
    client = await open_client(as_caller(LOCAL, query))
    assert (await client.get("/sign-in")).json() == {"passwords": False}
    for method, path, body in (
        ("POST", "/sessions", {"name": "ada", "password": PASSWORD}),
        ("POST", "/invitations", {"name": "ada"}),
        ("POST", "/accounts", {"name": "ada", "invitation": "secret", "password": PASSWORD}),
        ("PUT", "/me/password", {"password": PASSWORD, "new_password": OTHER}),
    ):
        reply = await client.request(method, path, json=body)
        assert (reply.status_code, "Accounts are off here" in reply.json()["detail"]) == (409, True), path


async def test_a_sign_in_during_a_removal_leaves_no_session(core: Core, client: httpx.AsyncClient, monkeypatch: Any) -> None:
    await join(core, client)
    real = core.accounts.sign_in

    async def removed_meanwhile(name: str, password: str) -> Any:
        account = await real(name, password)
        await core.accounts.remove(name)
        return account

    monkeypatch.setattr(core.accounts, "sign_in", removed_meanwhile)
    assert (await sign_in(client)).status_code == 401
    assert {each["user_id"] for each in (await client.get("/sessions", headers=await as_root(core))).json()["data"]} == {"root"}
