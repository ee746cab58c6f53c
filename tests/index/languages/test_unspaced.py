"""Words inside a run are found by their letters, and particles ask for nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.index.analysis import analyse
from memgit.index.languages.unspaced import asked, is_unspaced, pairs, singles


@pytest.mark.parametrize(
    ("run", "names"),
    [
        ("密钥什么时候失效", ["密钥", "失效"]),
        ("谁清空测试的数据库", ["清空", "空测", "测试", "数据", "据库"]),
        ("每周三开会", ["周三", "三开", "开会"]),
        ("バックアップの暗号化", ["バッ", "ック", "クア", "アッ", "ップ", "暗号", "号化"]),
        ("サーバーは", ["サー", "ーバ"]),
        ("りんごの箱", ["りん", "んご", "箱"]),
        ("失効しますか", ["失効"]),
        ("회계팀이", ["회계", "계팀"]),
        ("만료됩니까", ["만료"]),
        ("เมื่อไหร่", ["เมื่อ", "อไห", "ไหร่"]),
        ("水", ["水"]),
    ],
)
def test_what_a_query_asks_for(run: str, names: list[str]) -> None:
    """Question words, endings and particles are left out, unless there is nothing else."""
    assert [each.name for each in asked(run)] == names


def test_a_pair_between_two_words_may_be_missing() -> None:
    """Its letters are held by its neighbours; those at the ends are held by none."""
    first, inner, last = asked("密钥轮换")
    assert inner.beside == (first.name, last.name)
    assert first.beside is last.beside is None


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("备份数据每天夜里加密后传到另一座城市。", "加密"),
        ("備份資料每天傳到另一座城市。", "城市"),
        ("バックアップは毎晩暗号化する。", "暗号化"),
        ("결제 서비스는 재시도를 멈춘다.", "재시도"),
        ("접근 키는 만료된다.", "키"),
        ("รหัสผ่านหมดอายุหลังจากเก้าสิบวัน", "หมดอายุ"),
        ("API密钥v2轮换", "轮换"),
        ("水温", "水"),
    ],
)
def test_inner_words_are_in_a_text(text: str, query: str) -> None:
    """Every pair that a query of one inner word asks for is among the terms of the text."""
    terms = analyse(text).surfaces
    assert {each.name for each in asked(query)} <= terms


@given(st.text(alphabet="密钥轮换バックのはすろ키는회의กุญแจเ", min_size=1, max_size=20))
def test_any_run_is_asked_and_indexed(run: str) -> None:
    """Something is asked for in any run, and a text of the same run holds all of it."""
    if is_unspaced(run):
        held = {*pairs(run), *singles(run)}
        assert {each.name for each in asked(run) if not each.frames} <= held or "ー" in run
        assert asked(run)
