"""Settings that an admin changes while it runs: those of the environment, with what was set since over them."""

from __future__ import annotations
