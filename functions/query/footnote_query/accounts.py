"""`/accounts` and `/invitations`: people who sign in by name and password. An admin invites them, nobody else knows their password."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import Request, Response
from pydantic import AfterValidator, BaseModel, Field, SecretStr

from footnote.guard.accounts import LONGEST_PASSWORD, SHORTEST_PASSWORD, Account, check_name
from footnote.guard.audit import audit
from footnote.guard.identity import LONGEST_ID, session_id_of
from footnote.types import Caller, Role
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CallerOf, CoreOf, Origin, TokenOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.admin import ADMINS
from footnote_query.sessions import Groups, check_accounts, counted_try, new_person, open_for

router = Router("Sign-in")
OFF = problems({409: "Accounts are off"})
NewPassword = Annotated[SecretStr, Field(max_length=LONGEST_PASSWORD, description=f"At least {SHORTEST_PASSWORD} characters.")]


class WaysToSignIn(BaseModel):
    """What the sign-in form offers besides a token."""

    passwords: bool = Field(description="Whether people may sign in by name and password.")


class AccountBody(BaseModel):
    """An account, or an invitation that was not used yet."""

    name: str
    groups: list[str]
    role: Role
    state: Literal["active", "invited"]
    created_at: float
    created_by: str
    invited_until: float | None = Field(description="Until when the invitation can be used; null = there is none.")


class AccountPage(PageBody):
    """A page of accounts."""

    data: list[AccountBody]


class Invitation(BaseModel):
    """Whom an admin invites."""

    name: Annotated[str, AfterValidator(check_name)]
    groups: Groups = []
    role: Role = "user"
    hours: float = Field(72, ge=0.01, le=24 * 30, description="How long the link works.")


class InvitationBody(BaseModel):
    """The link, which is shown this once and works once."""

    name: str
    url: str
    expires_at: float


class NewAccount(BaseModel):
    """The password that an invited person chooses. The link holds the name and the invitation."""

    name: str = Field(max_length=LONGEST_ID)
    invitation: SecretStr = Field(max_length=200)
    password: NewPassword


class PasswordChange(BaseModel):
    """A new password, and the one until now."""

    password: SecretStr = Field(max_length=LONGEST_PASSWORD)
    new_password: NewPassword


@router.get("/sign-in", name="ways_to_sign_in")
async def ways(core: CoreOf) -> WaysToSignIn:
    """Returns how people can sign in, for the form. Needs no token."""
    return WaysToSignIn(passwords=core.settings.auth.has_accounts)


@router.get("/accounts", name="list_accounts", responses=ADMINS)
async def listing(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> AccountPage:
    """Lists accounts and open invitations by name, for admins."""
    return AccountPage.of(await core.accounts.list(limit, after), _body_of)


@router.post("/invitations", name="invite", status_code=201, responses=ADMINS | problems({409: "The user is known, or accounts are off"}))
async def invite(asked: Invitation, admin: AdminOf, core: CoreOf, origin: Origin, response: Response) -> InvitationBody:
    """Invites a person who has not used Footnote before, for admins. A new invitation replaces one that was not used."""
    check_accounts(core)
    session = await new_person(asked.name, asked.groups, asked.role, admin, core)
    now, facts = core.clock(), {"groups": list(session.groups), "role": session.role}
    await audit(core.records, admin, "account.invite", asked.name, now=now, **facts)
    secret = await core.accounts.invite(session, asked.hours * 3600, by=admin.user_id)
    response.headers["cache-control"] = "no-store"
    return InvitationBody(name=asked.name, url=link_to(origin, asked.name, secret), expires_at=now + asked.hours * 3600)


@router.post(
    "/accounts",
    name="accept_invitation",
    status_code=204,
    responses=OFF | problems({401: "The invitation is not valid", 422: "The password is not good", 429: "Too many tries"}),
)
async def accept(asked: NewAccount, request: Request, core: CoreOf) -> Response:
    """Uses an invitation: sets the password, and signs in. Other sessions of this name end."""
    check_accounts(core)
    secret, password = asked.invitation.get_secret_value(), asked.password.get_secret_value()
    async with counted_try(asked.name, request, core):
        account = await core.accounts.accept(asked.name, secret, password)
    await audit(core.records, Caller(account.name), "account.accept", account.name, now=core.clock())
    return await open_for(account, request, core)


@router.delete("/accounts/{account}", name="remove_account", status_code=204, responses=ADMINS | problems({404: "No such account"}))
async def remove(account: str, admin: AdminOf, core: CoreOf) -> Response:
    """Removes an account, or withdraws an invitation, for admins. Its sessions end at once; conversations and documents stay."""
    await audit(core.records, admin, "account.remove", account, now=core.clock())
    await core.accounts.remove(account)
    return Response(status_code=204)


@router.put(
    "/me/password",
    name="change_password",
    status_code=204,
    responses=OFF | problems({403: "The current password is wrong", 404: "The caller has no account", 422: "The new password is not good"}),
)
async def change(asked: PasswordChange, caller: CallerOf, token: TokenOf, request: Request, core: CoreOf) -> Response:
    """Changes the caller's password. Their other sessions end."""
    check_accounts(core)
    old, new = asked.password.get_secret_value(), asked.new_password.get_secret_value()
    async with counted_try(caller.user_id, request, core):
        await core.accounts.change_password(caller.user_id, old, new, stay=session_id_of(token or ""))
    await audit(core.records, caller, "account.password", caller.user_id, now=core.clock())
    return Response(status_code=204)


def link_to(origin: str, name: str, secret: str) -> str:
    """The page's address that asks for a password. Browsers do not send what follows the `#`, so no log holds the secret."""
    return f"{origin}/#/invitation/{quote(name, safe='')}/{secret}"


def _body_of(account: Account) -> AccountBody:
    return AccountBody(
        name=account.name,
        groups=list(account.groups),
        role=account.role,
        state="active" if account.password else "invited",
        created_at=account.created_at,
        created_by=account.created_by,
        invited_until=account.invited_until or None,
    )
