"""The gate before a prompt: only what this clone's user says counts, and in doubt nobody is trusted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import InvalidRequest
from memgit.records.op import Actor
from memgit.scope.trust import (
    TrustEntry,
    TrustPolicy,
    nobody,
    normal_address,
    normal_key,
    parse_entry,
    policy_of,
    trusted,
)

SSH = "SHA256:" + "A" * 43
GPG = "0123456789ABCDEF0123456789ABCDEF01234567"


def judge(email: str, *entries: str, own: tuple[str, ...] = (), signers: frozenset[str] = frozenset()) -> bool:
    """What the gate says of an author under these entries."""
    policy, wrong = policy_of(entries, own)
    assert wrong == ()
    return trusted(Actor("Somebody", email), policy, lambda: signers)


def test_nobody_is_trusted_until_the_user_says_so() -> None:
    """Without an entry an author is not; the user's own addresses are, and nobody else's."""
    assert not judge("ada@example.org")
    assert judge("ada@example.org", "ada@example.org")
    assert judge("me@example.org", own=("me@example.org", "me@work.example"))
    assert judge("me@WORK.example", own=("me@example.org", "me@work.example"))
    assert not judge("ada@example.org", own=("me@example.org",))
    assert not judge("", "ada@example.org", own=("", "me@example.org"))
    assert not trusted(Actor("Ada", "ada@example.org"), TrustPolicy())


@pytest.mark.parametrize(
    ("email", "entry", "expected"),
    [
        ("ada@example.org", "ada@EXAMPLE.org", True),
        ("ada@Example.Org", "ada@example.org", True),
        (" ada@example.org ", "ada@example.org", True),
        ("Ada@example.org", "ada@example.org", False),
        ("ada@example.org.evil.example", "ada@example.org", False),
        ("ada@example.org", "*@example.org", True),
        ("ada@EXAMPLE.ORG", "*@Example.org", True),
        ("ada@mail.example.org", "*@example.org", False),
        ("ada@badexample.org", "*@example.org", False),
        ("ada@example.org@evil.example", "*@example.org", False),
        ("*@example.org", "*@example.org", True),
        ("example.org", "*@example.org", False),
        ("@example.org", "*@example.org", False),
        ("a@b@example.org", "*@example.org", False),
        ("ada@exаmple.org", "ada@example.org", False),  # a Cyrillic а
        ("ada@ＥＸＡＭＰＬＥ.org", "ada@example.org", False),
        ("ada@xn--bcher-kva.example", "ada@bücher.example", False),
        ("ada@bu\u0308cher.example", "ada@b\u00fccher.example", False),
        ("ada@stra\u00dfe.example", "ada@strasse.example", False),
        ("ada@\u212aelvin.example", "ada@kelvin.example", False),
        ("ada@EXAMPLE\u0130.org", "ada@example\u0130.org", True),
        ("ada@example\u0131.org", "ada@exampleI.org", False),
        ("ada@example.org", "a.a@example.org", False),
        ("anybody", "*", True),
    ],
)
def test_addresses_are_compared_as_they_are(email: str, entry: str, expected: bool) -> None:
    """Only the ASCII case of the domain and spaces around are forgiven; look-alikes and subdomains are others."""
    assert judge(email, entry) == expected


def test_a_key_must_have_signed() -> None:
    """An entry with a key trusts the address only with that key's signature: either key of two entries will do."""
    entry, other = f"ada@example.org key:{SSH}", f"ada@example.org key:{GPG}"
    assert not judge("ada@example.org", entry)
    assert not judge("ada@example.org", entry, signers=frozenset({GPG, "SHA256:" + "B" * 43}))
    assert judge("ada@example.org", entry, signers=frozenset({SSH}))
    assert not judge("bob@example.org", entry, signers=frozenset({SSH}))
    assert judge("ada@example.org", entry, other, signers=frozenset({GPG}))
    assert judge("ada@example.org", entry, "ada@example.org")


def test_the_closest_entry_decides() -> None:
    """A domain's entry does not open what one for the address itself binds to a key, nor does one for everybody."""
    bound = f"ada@example.org key:{SSH}"
    assert not judge("ada@example.org", bound, "*@example.org", "*")
    assert judge("bob@example.org", bound, "*@example.org")
    assert not judge("bob@example.org", f"*@example.org key:{SSH}", "*")
    assert judge("bob@elsewhere.example", f"*@example.org key:{SSH}", "*")


def test_the_users_own_word_can_be_bound_too() -> None:
    """One's own address is trusted, until one asks for its own key: everybody can write that address."""
    assert judge("me@example.org", f"*@example.org key:{SSH}", own=("me@example.org",))
    assert not judge("me@example.org", f"me@example.org key:{SSH}", own=("me@example.org",))
    assert judge("me@example.org", f"me@example.org key:{SSH}", own=("me@example.org",), signers=frozenset({SSH}))


def test_signatures_are_looked_for_only_where_they_decide() -> None:
    """Looking costs processes: without an entry with a key for this author nobody is asked."""

    def fail() -> frozenset[str]:
        raise AssertionError("signatures were looked for")

    policy, _ = policy_of([f"ada@example.org key:{SSH}", "*@example.org"], ["me@example.org"])
    assert trusted(Actor("Bob", "bob@example.org"), policy, fail)
    assert trusted(Actor("Me", "me@example.org"), policy, fail)
    assert not trusted(Actor("Eve", "eve@elsewhere.example"), policy, fail)
    assert nobody() == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "ada",
        "@example.org",
        "ada@",
        "*@",
        "**",
        "a*@example.org",
        "*@*.example.org",
        "ada@*",
        "Ada <ada@example.org>",
        "<ada@example.org>",
        "ada@example.org,bob@example.org",
        "ada@example.org bob@example.org",
        "ada@example.org key:",
        "ada@example.org key:SHA256:short",
        "ada@example.org key:MD5:00:11",
        "ada@example.org key:0123",
        f"ada@example.org {SSH}",
        f"key:{SSH}",
        "ada@exam\u202eple.org",
        "ada\x00@example.org",
        "a" * 600 + "@example.org",
    ],
)
def test_what_is_no_entry_is_refused_and_trusts_nobody(text: str) -> None:
    """A wrong entry is refused where it is added; one that stands in Git config is named and counts for nothing."""
    with pytest.raises(InvalidRequest) as caught:
        parse_entry(text)
    assert "key:" in caught.value.hint
    assert policy_of([text, "bob@example.org"], []) == (TrustPolicy((TrustEntry("bob@example.org"),)), (text,))


def test_an_entry_is_written_as_it_is_read() -> None:
    """The form in Git config is one, whatever the user typed."""
    spelled = parse_entry(f" ada@EXAMPLE.org   key:0x{GPG.lower()} ")
    assert spelled == TrustEntry("ada@example.org", GPG)
    assert parse_entry(spelled.text) == spelled
    assert normal_key(":".join(GPG[at : at + 2] for at in range(0, 40, 2))) == GPG
    assert normal_key("a" * 64) == "A" * 64
    assert normal_key(SSH.lower()) is None


emails = st.text(alphabet="aA@.*\u0430 é", max_size=8)
entries = st.lists(st.builds(TrustEntry, emails, st.sampled_from([None, SSH, GPG])), max_size=4).map(tuple)


@given(emails, entries, st.frozensets(emails, max_size=2), st.frozensets(st.sampled_from([SSH, GPG])))
def test_the_gate_is_total_and_needs_a_reason(
    email: str, told: tuple[TrustEntry, ...], own: frozenset[str], signers: frozenset[str]
) -> None:
    """Any author, any policy: trusted only if the address is the user's or an entry fits it, and its key has signed."""
    policy = TrustPolicy(told, own)
    if not trusted(Actor("x", email), policy, lambda: signers):
        return
    address = normal_address(email)
    domain = [f"*@{address.rpartition('@')[2]}"] if "@" in address else []
    fitting = [entry for entry in told if entry.pattern in (address, *domain, "*")]
    assert address in own or any(entry.key is None or entry.key in signers for entry in fitting)


@given(emails)
def test_an_address_is_normal_once(email: str) -> None:
    """What was normalised stays as it is."""
    assert normal_address(normal_address(email)) == normal_address(email)
