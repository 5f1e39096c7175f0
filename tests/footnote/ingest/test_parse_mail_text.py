"""The plain text of mails: flowed lines, and what PGP adds."""

from __future__ import annotations

import pytest

from footnote.ingest.parse.mail_text import unflowed, without_pgp


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The ferry \nleaves at 9.\nBring a coat.", "The ferry leaves at 9.\nBring a coat.", id="a space at a line's end"),
        pytest.param("> Is it \n> late?\nNo.", "> Is it late?\nNo.", id="a quoted line keeps its mark once"),
        pytest.param("> Is it \nNo.", "> Is it \nNo.", id="a line of another depth is another paragraph"),
        pytest.param("Yours \n-- \nJan", "Yours \n-- \nJan", id="the line above a signature"),
        pytest.param(" From here\n >no quote", "From here\n>no quote", id="the space before a line that looks like something else"),
        pytest.param("Ends here. \n\nBegins.", "Ends here. \nBegins.", id="an empty line ends a paragraph"),
    ],
)
def test_flowed_lines_are_joined_into_paragraphs(text: str, expected: str) -> None:
    assert unflowed(text) == expected


def test_a_break_that_takes_its_space_along_rejoins_a_word() -> None:
    assert unflowed("beim Pför \ntner, am  \nTor", deletes_space=True) == "beim Pförtner, am Tor"


def test_an_encrypted_text_is_taken_out_of_the_text() -> None:
    armour = "-----BEGIN PGP MESSAGE-----\n\nhQEMA5\n=9xQz\n-----END PGP MESSAGE-----"
    assert without_pgp(f"Look:\n{armour}\nBye") == ("Look:\n\nBye", [armour])


def test_a_signed_text_stays_without_its_signature() -> None:
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe key hangs in hut 6.\n- -- \nOle\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQIzBA\n-----END PGP SIGNATURE-----\n"
    )
    assert without_pgp(signed) == ("The key hangs in hut 6.\n-- \nOle\n\n", [])
