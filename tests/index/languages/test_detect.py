"""What a text may be in is said by evidence, and English is what it is without."""

from __future__ import annotations

import pytest

from memgit.index.languages.detect import certain_languages, languages_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Schlüssel werden jede Nacht gewechselt.", "de"),
        ("Les clés sont changées chaque nuit.", "fr"),
        ("Las claves se cambian cada noche.", "es"),
        ("Le chiavi vengono cambiate ogni notte.", "it"),
        ("As chaves são trocadas todas as noites.", "pt"),
        ("De sleutels worden elke nacht vervangen.", "nl"),
        ("Nycklarna byts ut varje natt.", "sv"),
        ("Avaimet vaihdetaan joka yö.", "fi"),
        ("A kulcsokat minden éjjel kicserélik.", "hu"),
        ("Cheile sunt schimbate în fiecare noapte.", "ro"),
        ("Klucze są zmieniane każdej nocy.", "pl"),
        ("Klíče se mění každou noc.", "cs"),
        ("Anahtarlar her gece değiştirilir.", "tr"),
        ("Ключи меняются каждую ночь.", "ru"),
        ("Ключі змінюються щоночі.", "uk"),
        ("Τα κλειδιά αλλάζουν κάθε βράδυ.", "el"),
        ("تُغيَّر المفاتيح كل ليلة.", "ar"),
        ("密钥每晚更换。", "zh"),
        ("鍵は毎晩交換される。", "ja"),
        ("열쇠는 매일 밤 바뀐다.", "ko"),
        ("กุญแจถูกเปลี่ยนทุกคืน", "th"),
        ("The keys are changed every night.", "en"),
    ],
)
def test_short_statements(text: str, language: str) -> None:
    """A sentence of a few words is enough."""
    assert languages_of(text)[0] == language
    assert language in (certain_languages(text) or {language})


@pytest.mark.parametrize(
    "text",
    ["", "Redis", "cache Redis production", "ORBIT7421", "SCOPED_ALPHA_01", "src/main.py", "42", "!!!", "🚀", "v"],
)
def test_without_evidence_it_is_english(text: str) -> None:
    """Names, identifiers and keywords say nothing, and nothing is ruled out."""
    assert languages_of(text) == ("en",)
    assert certain_languages(text) == frozenset()


@pytest.mark.parametrize(
    "text", ["Take care!", "Bye Joanna! Take care!", "State cache equals a fresh fold", "Go, Jon!"]
)
def test_thin_evidence_keeps_english(text: str) -> None:
    """What a foreign word might be is named beside English, not in its place."""
    assert "en" in languages_of(text)
    assert certain_languages(text) <= {"en"}


def test_two_scripts_are_two_languages() -> None:
    """Each script of a text is analysed under its own language."""
    assert set(languages_of("Der Dienst heißt 支付服务 und läuft immer.")) == {"de", "zh"}
    assert set(languages_of("ключ API")) >= {"en"}
