"""The gate of a transaction: what is staged is looked through for secrets before any Git object is made of it.

Owns when to look and when not to look again, and what was let in all the same. What a secret looks like is `screening`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memgit.records.codec import digest_of
from memgit.records.texts import Text

if TYPE_CHECKING:
    from memgit.screening import Finding

_REMEMBERED = 10_000  # digests of texts; a bulk transaction has no end


class Gate:
    """One transaction's gate. `allows_flagged`: somebody has looked, so nothing is refused, but it is noted."""

    def __init__(self, *, allows_flagged: bool = False) -> None:
        self.allows_flagged = allows_flagged
        self._clean: set[str] = set()

    def is_flagged(self, texts: Iterable[Text], names: Mapping[str, str]) -> bool:
        """Tell whether texts look like secrets, where that is allowed. Raises SecretDetected where it is not."""
        return self._judge(self.findings(texts, names))

    def is_flagged_blob(self, data: bytes, digest: str, where: str) -> bool:
        """Do as `is_flagged` for the bytes of a blob, given their digest."""
        return self._judge(self.blob_findings(data, digest, where))

    def findings(self, texts: Iterable[Text], names: Mapping[str, str] | None = None) -> tuple[Finding, ...]:
        """Return what looks like a secret; `names` are the request's own names of fields, where they differ."""
        found: list[Finding] = []
        for field, text, lead in texts:
            key = digest_of((f"{lead}\0{text}" if lead else text).encode("utf-8", "surrogatepass"))
            if key not in self._clean:
                from memgit.screening import screen_text  # what only reads does not load the rules

                found += self._remembered(key, screen_text(text, (names or {}).get(field, field), lead))
        return tuple(found)

    def blob_findings(self, data: bytes, digest: str, where: str) -> tuple[Finding, ...]:
        """Return what looks like a secret in the bytes of a blob, given their digest."""
        if digest in self._clean:
            return ()
        from memgit.screening import screen_bytes

        return self._remembered(digest, screen_bytes(data, where))

    def _remembered(self, key: str, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        if not found:
            if len(self._clean) >= _REMEMBERED:
                self._clean.clear()
            self._clean.add(key)
        return found

    def _judge(self, found: tuple[Finding, ...]) -> bool:
        if found and not self.allows_flagged:
            from memgit.screening import refuse

            refuse(found)
        return bool(found)
