"""Each rule of the table finds what its issuer makes, exactly, and nothing that is nearly it."""

from __future__ import annotations

import re
import zlib
from itertools import product
from random import Random

import pytest

from memgit.screening import screen_text
from memgit.screening.patterns import compiled
from memgit.screening.rule import Rule
from memgit.screening.shapes import SHAPES
from memgit.screening.table import FORMATS, RULES, rule_names
from tests.screening.samples import SAMPLES

DRAWS = 12  # of each sample: a rule must not depend on luck


def _random(rule: str, draw: int) -> Random:
    return Random(zlib.crc32(f"{rule} {draw}".encode()))


def test_every_rule_has_a_sample() -> None:
    """No rule of the table goes untested, and every row says where its format is documented."""
    assert set(SAMPLES) == set(rule_names())
    assert all(rule.source for rule in RULES)
    assert all(shape.source for shape in SHAPES)
    assert len(set(rule_names())) == len(RULES) + len(SHAPES)


@pytest.mark.parametrize("rule", rule_names())
def test_finds_its_own(rule: str) -> None:
    """A key of the format is found under the rule's name, from first character to last, whatever is around it."""
    for draw in range(DRAWS):
        text = SAMPLES[rule].make(_random(rule, draw))
        secret = SAMPLES[rule].secret(text)
        for before, after in (("", ""), ("see ", " for it"), ('x = f("', '")\n'), ("\\n", "\\n"), ("- ", "\n\n")):
            whole = before + text + after
            found = [finding for finding in screen_text(whole, "text") if finding.rule == rule]
            start = whole.index(secret)
            spans = [(finding.start, finding.end) for finding in found]
            assert spans == [(start, start + len(secret))], (rule, draw, before)


@pytest.mark.parametrize("rule", rule_names())
def test_lets_a_near_miss_pass(rule: str) -> None:
    """Half the length, words for a body, or a header that says something else: the rule does not find it."""
    for draw in range(DRAWS):
        near_miss = SAMPLES[rule].near_miss(_random(rule, draw))
        assert rule not in [finding.rule for finding in screen_text(near_miss, "text")], (rule, draw)


@pytest.mark.parametrize("rule", [rule for rule in FORMATS if rule.name != "url-password"], ids=lambda rule: rule.name)
def test_fillers_are_no_keys(rule: Rule) -> None:
    """What documents show in a key's place, one character over and over, is no key of any format."""
    text = SAMPLES[rule.name].make(_random(rule.name, 0))
    anchor = next(anchor for anchor in rule.anchors if anchor in text)
    begin, end = text.index(anchor), text.index(anchor) + len(anchor)
    filler = re.sub("[0-9A-Za-z]", "x", text[:begin]) + anchor + re.sub("[0-9A-Za-z]", "x", text[end:])
    assert screen_text(filler, "text") == ()


def test_literals_do_not_hide_each_other() -> None:
    """All literals are looked for in one pass; where two can overlap, the hidden one could not begin a token anyway."""
    anchors = [(anchor, rule) for rule in FORMATS for anchor in rule.anchors]
    hidden = [
        (first, second, rule.name)
        for (first, _), (second, rule) in product(anchors, anchors)
        for size in range(1, min(len(first), len(second)))
        if first.endswith(second[:size]) and not first[-size - 1 : -size].isalnum() and first[0] != second[0]
    ]
    # `key-us1` is no Mailchimp key, `lin_api_org_` none of Hugging Face, a hook of Slack none of Discord, and what
    # follows `sk.` is a token of Mapbox.
    assert {second for _, second, _ in hidden} <= {"-us", "api_org_", "/api/webhooks/", "eyJrIjoi"}


def test_patterns_are_bounded() -> None:
    """No pattern has an unbounded repetition that can give back what it took: that is what makes matching quadratic."""
    patterns = {rule.name: rule.pattern for rule in RULES} | {shape.name: shape.pattern for shape in SHAPES}
    for name, pattern in patterns.items():
        compiled(pattern)
        bare = re.sub(r"\\.|\[[^\]]*\]", "c", pattern)
        assert re.search(r"[*+](?!\+)(?<!\+\+)(?<!\*\+)(?<!\}\+)", bare) is None, name
