"""Collects manual pages, FAQs and handbooks of installed Debian packages in one folder, in English, German and Korean.

    python -m bench.manuals FOLDER [--root DIR]

The questions of the set `manuals` (`bench.natural`) are asked on these files, which nobody wrote or prepared for that. Manual pages are
rendered as text by `man` (package man-db), the rest is copied as it is. Packages that are missing are listed: install them (as root), or
unpack them without installing anything:

    apt-get download $(python -m bench.manuals --packages)
    for deb in *.deb; do dpkg-deb -x $deb ROOT; done
    python -m bench.manuals FOLDER --root ROOT

The keys were written on Debian 12; other releases may have other texts.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

FILES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "en": {
        "bsdgames": ("share/doc/bsdgames/README.hunt.gz",),
        "cron": ("share/doc/cron/README.Debian",),
        "cryptsetup": ("share/doc/cryptsetup/FAQ.md.gz",),
        "debian-faq": ("share/doc/debian/FAQ/choosing.en.html", "share/doc/debian/FAQ/redistributing.en.html"),
        "etckeeper": ("share/doc/etckeeper/README.mdwn.gz",),
        "fail2ban": ("share/doc/fail2ban/README.Debian.gz",),
        "fortune-mod": ("share/doc/fortune-mod/README.gz",),
        "git-man": ("share/man/man7/gitfaq.7.gz",),
        "mc-data": ("share/doc/mc-data/FAQ.gz",),
        "memtest86+": ("share/doc/memtest86+/README.md.gz",),
        "nano": ("share/doc/nano/faq.html",),
        "openssh-client": ("share/doc/openssh-client/README.tun.gz", "share/doc/openssh-client/README.Debian.gz"),
        "popularity-contest": ("share/doc/popularity-contest/FAQ.gz",),
        "rdiff-backup": ("share/doc/rdiff-backup/FAQ.adoc.gz",),
        "screen": ("share/doc/screen/FAQ.gz",),
        "sudo": ("share/doc/sudo/HISTORY.md", "share/doc/sudo/TROUBLESHOOTING.md.gz"),
        "tmux": ("share/doc/tmux/README",),
        "ufw": ("share/doc/ufw/README.Debian",),
        "unattended-upgrades": ("share/doc/unattended-upgrades/README.md.gz",),
    },
    "de": {
        "apt": ("share/man/de/man8/apt-get.8.gz",),
        "manpages-de": (
            "share/man/de/man1/nano.1.gz",
            "share/man/de/man1/ncal.1.gz",
            "share/man/de/man1/oggenc.1.gz",
            "share/man/de/man1/rm.1.gz",
            "share/man/de/man1/scanimage.1.gz",
            "share/man/de/man1/shred.1.gz",
            "share/man/de/man1/ssh-agent.1.gz",
            "share/man/de/man1/ssh-keygen.1.gz",
            "share/man/de/man1/su.1.gz",
            "share/man/de/man1/tail.1.gz",
            "share/man/de/man1/touch.1.gz",
            "share/man/de/man5/crontab.5.gz",
            "share/man/de/man5/fstab.5.gz",
            "share/man/de/man5/hosts.5.gz",
            "share/man/de/man5/journald.conf.5.gz",
            "share/man/de/man5/resolv.conf.5.gz",
            "share/man/de/man7/hier.7.gz",
            "share/man/de/man8/anacron.8.gz",
            "share/man/de/man8/rtcwake.8.gz",
            "share/man/de/man8/shutdown.8.gz",
            "share/man/de/man8/swapon.8.gz",
        ),
    },
    "ko": {
        "debian-faq-ko": (
            "share/doc/debian/FAQ/ko/basic-defs.ko.html",
            "share/doc/debian/FAQ/ko/choosing.ko.html",
            "share/doc/debian/FAQ/ko/contributing.ko.html",
            "share/doc/debian/FAQ/ko/getting-debian.ko.html",
            "share/doc/debian/FAQ/ko/kernel.ko.html",
            "share/doc/debian/FAQ/ko/nextrelease.ko.html",
            "share/doc/debian/FAQ/ko/redistributing.ko.html",
            "share/doc/debian/FAQ/ko/uptodate.ko.html",
        ),
        "installation-guide-amd64": (
            "share/doc/installation-guide-amd64/ko/ch01s02.html",
            "share/doc/installation-guide-amd64/ko/ch02s01.html",
            "share/doc/installation-guide-amd64/ko/ch02s05.html",
            "share/doc/installation-guide-amd64/ko/ch03s04.html",
            "share/doc/installation-guide-amd64/ko/ch03s05.html",
            "share/doc/installation-guide-amd64/ko/ch05s04.html",
            "share/doc/installation-guide-amd64/ko/ch06s04.html",
            "share/doc/installation-guide-amd64/ko/ch08s02.html",
            "share/doc/installation-guide-amd64/ko/ch08s04.html",
            "share/doc/installation-guide-amd64/ko/ch08s06.html",
            "share/doc/installation-guide-amd64/ko/apcs02.html",
            "share/doc/installation-guide-amd64/ko/apcs03.html",
            "share/doc/installation-guide-amd64/ko/apds02.html",
        ),
        "login": ("share/man/ko/man1/login.1.gz",),
        "man-db": ("share/man/ko/man1/man.1.gz", "share/man/ko/man8/mandb.8.gz"),
        "passwd": ("share/man/ko/man5/passwd.5.gz",),
        "psmisc": ("share/man/ko/man1/fuser.1.gz", "share/man/ko/man1/killall.1.gz", "share/man/ko/man1/pstree.1.gz"),
        "xz-utils": ("share/man/ko/man1/xz.1.gz",),
    },
}
"""Language → package → its files, below /usr."""


def collect(folder: Path, root: Path = Path("/")) -> list[str]:
    """Writes the files to `folder`, each with its language and package in its name; returns the packages that lack one."""
    folder.mkdir(parents=True, exist_ok=True)
    missing: list[str] = []
    for lang, packages in FILES.items():
        for package, paths in packages.items():
            for path in paths:
                source = root / "usr" / path
                if source.exists():
                    (folder / name_of(lang, package, path)).write_text(text_of(source), "utf-8")
                elif package not in missing:
                    missing.append(package)
    return missing


def name_of(lang: str, package: str, path: str) -> str:
    """The name of a collected file: `de-crontab.5.txt`, `en-sudo-HISTORY.md`."""
    name = path.rsplit("/", 1)[1].removesuffix(".gz")
    if "/man/" in path:
        return f"{lang}-{name}.txt"
    return f"{lang}-{package}-{name}" + ("" if name.endswith((".html", ".md")) else ".txt")


def text_of(source: Path) -> str:
    """The text of a file; manual pages are rendered without hyphens at line ends."""
    if "/man/" in source.as_posix():
        if shutil.which("man") is None:
            raise SystemExit("The command `man` is missing: install man-db.")
        command = ["man", "-E", "UTF-8", "--no-hyphenation", "--no-justification", "-l", str(source)]
        environment = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANPAGER": "cat", "GROFF_NO_SGR": "1"}
        rendered = subprocess.run(command, env=environment, check=True, capture_output=True).stdout.decode("utf-8")
        return re.sub(".\b", "", rendered)
    data = source.read_bytes()
    return (gzip.decompress(data) if source.suffix == ".gz" else data).decode("utf-8", "replace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Collects the files, or prints the names of their packages."""
    parser = argparse.ArgumentParser(prog="python -m bench.manuals", description="Collects manuals of Debian packages in one folder.")
    parser.add_argument("folder", type=Path, nargs="?", help="where the files are written")
    parser.add_argument("--root", type=Path, default=Path("/"), metavar="DIR", help="where the packages are unpacked (default: /)")
    parser.add_argument("--packages", action="store_true", help="print the names of the packages")
    options = parser.parse_args(arguments)
    if options.packages or options.folder is None:
        print(*sorted({package for packages in FILES.values() for package in packages}))
        return 0
    missing = collect(options.folder, options.root)
    if missing:
        print(f"Not found below {options.root}: files of {', '.join(missing)}. Install these packages.", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
