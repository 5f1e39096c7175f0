"""Maps the permissions of a wiki's page to permission groups.

A page is read by whoever may view its space and satisfies each of its restrictions, its own and those of the pages above it. A
document is read by the members of any of its groups. So a group may be given only if it satisfies all of them: members of two
groups that satisfy one each cannot be expressed, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from footnote.errors import UnreadableFile
from footnote.ports import PageFacts
from footnote.settings import Confluence
from footnote.types import EVERYONE

AGAIN = "then add the page again."


def readers_of(page: PageFacts, settings: Confluence) -> frozenset[str]:
    """The permission groups whose members may all read the page in the wiki. UnreadableFile if there are none."""
    viewers = frozenset(settings.spaces.get(page.space, ()))
    if not viewers:
        raise UnreadableFile(
            f"No permission group is configured for the Confluence space {page.space}.", f"Add the space to CONFLUENCE__SPACES, {AGAIN}"
        )
    allowed = [viewers]
    for restriction in page.restrictions:
        mapped = _mapped(restriction.groups, settings.groups) | _mapped(restriction.users, settings.users)
        if not mapped:
            raise UnreadableFile(
                "The page, or one above it, is restricted, and none of its readers has a permission group here."
                f" Groups of Confluence: {_names(restriction.groups)}. Users: {_names(restriction.users)}.",
                f"Add one of them to CONFLUENCE__GROUPS or CONFLUENCE__USERS, {AGAIN}",
            )
        allowed.append(mapped)
    return _common(allowed)


def _mapped(names: Iterable[str], mapping: Mapping[str, Sequence[str]]) -> frozenset[str]:
    return frozenset(group for name in names for group in mapping.get(name, ()))


def _common(allowed: Sequence[frozenset[str]]) -> frozenset[str]:
    """The groups in all of the sets; a set with `*` admits every group."""
    narrow = [groups for groups in allowed if EVERYONE not in groups]
    if not narrow:
        return frozenset({EVERYONE})
    common = frozenset.intersection(*narrow)
    if not common:
        raise UnreadableFile(
            f"The page's readers have to be in several groups at once: {'; and '.join(f'one of {_names(groups)}' for groups in narrow)}.",
            "List a permission group whose members satisfy all of them for each: in CONFLUENCE__SPACES for the space, in"
            f" CONFLUENCE__GROUPS or CONFLUENCE__USERS for the restrictions; {AGAIN}",
        )
    return common


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
