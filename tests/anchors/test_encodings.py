"""Text that is not ASCII is compared as what it says; another encoding of it is likely at most."""

from __future__ import annotations

import pytest

from memgit.anchors.text import bare_key, line_key
from tests.anchors.conftest import Code, function, where

BEFORE, AFTER = function("before"), function("after")
CHINESE = ("# 先检查用户的权限\n# 余额不足时拒绝付款\n# 写入审计日志并通知管理员\n# 最后释放数据库连接\n",)
CHINESE += ("# 春天的花园里有很多蝴蝶\n# 苹果香蕉橙子葡萄西瓜\n# 昨夜北方下了一场大雪\n# 火车从这里开往远方去\n",)
CYRILLIC = ("# сначала проверь права\n# откажи без средств\n# запиши событие в журнал\n# закрой соединение\n",)
CYRILLIC += ("# весной в саду бабочки\n# яблоки и апельсины\n# ночью выпал большой снег\n# поезд ушёл на юг\n",)


@pytest.mark.parametrize(
    ("texts", "encoding"), [(CHINESE, "utf-8"), (CYRILLIC, "utf-8"), (CHINESE, "gbk"), (CYRILLIC, "cp1251")]
)
def test_other_comments_of_the_same_script_are_other_text(code: Code, texts: tuple[str, str], encoding: str) -> None:
    """Comments that were replaced by comments with nothing in common are not found again for certain."""
    code.commit(a_py=(BEFORE + texts[0] + AFTER).encode(encoding))
    anchor = code.anchor("a.py:5-8")
    code.commit(a_py=(BEFORE + texts[1] + AFTER).encode(encoding))
    located = code.locate(anchor)
    assert (located.state, located.certainty) == ("gone", "lost")


@pytest.mark.parametrize("text", [CHINESE[0], CYRILLIC[0]])
def test_comments_are_found_where_they_were_moved(code: Code, text: str) -> None:
    """Of two files that got comments of the same script, the one with the same words is the place."""
    other = CHINESE[1] if text == CHINESE[0] else CYRILLIC[1]
    code.commit(a_py=BEFORE + text + AFTER, b_py="# b\n", c_py="# c\n")
    anchor = code.anchor("a.py:5-8")
    code.commit(a_py=BEFORE + AFTER, b_py="# b\n" + other, c_py="# c\n" + text)
    assert (code.locate(anchor).state, where(code.locate(anchor))) == ("moved", ("c.py", 2, 5))


def test_a_recoded_text_is_likely_at_most(code: Code) -> None:
    """A long part that another encoding changed throughout is found by what the encodings have in common."""
    text = "".join(f"größe_{n} = länge_{n} * {n}  # für alle\n" for n in range(60))
    code.commit(a_py=text.encode("latin-1"))
    anchor = code.anchor("a.py:21-24")
    code.commit(a_py="# head\n" + text)
    located = code.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("drifted", "likely", ("a.py", 22, 25))


def test_the_keys_of_lines() -> None:
    """A key keeps every character but blanks; a bare one keeps what encodings share, where that tells something."""
    assert line_key("\t# 名前 x".encode()) == line_key("# 名前x".encode()) != line_key("# 別名 x".encode())
    assert bare_key("größe = 1".encode()) == bare_key("größe = 1".encode("latin-1")) == b"gre=1"
    assert bare_key("# 名前".encode()) == b""
