"""Screening: text and bytes are looked through for secrets before anything is written. See `screen.py`."""

from memgit.screening.finding import Finding, refuse
from memgit.screening.screen import screen_bytes, screen_text

__all__ = ["Finding", "refuse", "screen_bytes", "screen_text"]
