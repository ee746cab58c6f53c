"""A word meets its inflections, each in the name of its language, and what people type without accents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.index.languages.folding import composed, fold
from memgit.index.languages.stems import STEMMED, asked_forms, forms

LANGUAGES = (*sorted(STEMMED), "en")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ["häuser", "haus", "haeuser", "hauser"]),
        ("de", ["schlüssel", "schluessel", "schlussel"]),
        ("fr", ["généraux", "général", "general"]),
        ("es", ["recuperación", "recuperacion", "recuperaciones"]),
        ("es", ["luces", "luz"]),
        ("pt", ["cartões", "cartão", "cartoes", "cartao"]),
        ("it", ["banche", "banca"]),
        ("nl", ["huizen", "huis"]),
        ("sv", ["månaden", "månad", "manad"]),
        ("da", ["nøglerne", "nøgle", "nogle"]),
        ("no", ["nøklene", "nøkler"]),
        ("ro", ["facturile", "factura"]),
        ("hu", ["számlákat", "számla", "szamla"]),
        ("ru", ["платёжный", "платежные", "платежного"]),
        ("pl", ["szyfrujących", "szyfrujący", "szyfrujacy"]),
        ("cs", ["klíčů", "klíče", "klice"]),
        ("uk", ["ключів", "ключами", "ключ"]),
        ("tr", ["anahtarları", "anahtarlar", "anahtar"]),
        ("ar", ["الفواتير", "فواتير", "والفواتير"]),
        ("el", ["κλειδιά", "κλειδια"]),
        ("en", ["caches", "caching", "cached"]),
    ],
)
def test_forms_of_one_word_meet(language: str, words: list[str]) -> None:
    """Each inflection and spelling shares a form with the first."""
    first = set(forms(words[0], (language,)))
    for word in words[1:]:
        assert first & set(asked_forms(word, (language,))), word


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("ar", "مكتب", "كتاب"), ("de", "wandel", "wände"), ("pl", "kontrola", "kontrakt")],
)
def test_other_words_do_not(language: str, one: str, other: str) -> None:
    """What looks alike is not the same word."""
    assert not set(forms(one, (language,))) & set(forms(other, (language,)))


def test_a_stem_is_of_one_language() -> None:
    """The same letters under another language are another term; numbers and codes belong to all."""
    assert not set(forms("gifte", ("de",))) & set(forms("gift", ("en",)))
    assert forms("8080", ("de",)) == forms("8080", ("en",)) == ("8080",)
    assert forms("e2e", ("fr",)) == ("e2e",)


def test_scripts_are_stemmed_by_their_own_languages() -> None:
    """A Latin word in a Russian text is not stemmed as Russian, nor the other way round."""
    assert forms("caches", ("ru", "en")) == ("cach",)
    assert forms("ключи", ("ru", "en")) == ("ru:ключ", "ru:ключи")
    assert forms("密钥", ("zh", "en")) == ("密钥",)


@given(
    st.text(min_size=1, max_size=60).map(lambda text: composed(text).lower()).filter(bool), st.sampled_from(LANGUAGES)
)
def test_any_word_has_forms(word: str, language: str) -> None:
    """No word fails under any language, and each meets itself, with its accents and without."""
    found = forms(word, (language,))
    assert found and all(found)
    assert set(found) & set(asked_forms(word, (language, "en")))
    assert set(found) & set(asked_forms(fold(word).casefold(), (language,)))


@given(st.text(max_size=100))
def test_folding_twice_is_folding_once(text: str) -> None:
    """What is plain stays so."""
    plain = fold(composed(text))
    assert fold(plain) == plain
