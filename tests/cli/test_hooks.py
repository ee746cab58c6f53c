"""`git memory hooks` and `git memory doctor` as a person types them."""

from __future__ import annotations

from tests.cli.conftest import Shell


def test_install_status_doctor_uninstall(shell: Shell) -> None:
    """One way through: each verb says what it did on standard error, and shows what there is on standard output."""
    shell.git("commit", "-q", "--allow-empty", "-m", "first")
    said = shell.ok("hooks", "install")
    assert said.out == b"" and said.err.startswith("the hooks are in ")
    assert "the hooks are already in " in shell.ok("hooks", "install").err
    lines = shell.ok("hooks", "status").text.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [
        [hook, "installed"]
        for hook in ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite", "pre-push")
    ]
    assert "6 of 6 hooks were fired and arrived" in shell.ok("doctor").text
    assert shell.ok("hooks", "uninstall").err == "the hooks are gone\n"
    assert shell.ok("hooks", "uninstall").err == "there were no hooks of memgit\n"
    assert "no hooks are installed" in shell.ok("doctor").text


def test_the_doctor_ends_with_1_where_something_is_wrong(shell: Shell) -> None:
    """A displaced hook: a warning once, a finding with what to do, and a status that a script can use."""
    shell.ok("hooks", "install")
    (shell.directory / ".git" / "hooks" / "post-commit").write_bytes(b"#!/bin/sh\n")
    said = shell.type("doctor")
    assert said.status == 1
    assert "warning: hooks no longer run: post-commit (another hook in " in said.err
    assert "post-commit: no longer runs: another hook is in its place" in said.text
    assert "Run `git memory hooks install`." in said.text
    answered = shell.type("doctor", "--json")
    assert (answered.status, answered.envelope["ok"], answered.envelope["result"]["ok"]) == (1, True, False)


def test_hooks_of_others_are_refused_with_what_to_paste(shell: Shell) -> None:
    """A directory under version control: an error, the way on, and the lines themselves."""
    shell.write(".githooks/post-commit", "#!/bin/sh\n")
    shell.git("add", ".githooks")
    shell.git("commit", "-q", "-m", "hooks")
    shell.git("config", "core.hooksPath", ".githooks")
    error = shell.refused("hooks", "install", "--files")
    assert "is under version control" in error and "git memory hooks snippet HOOK" in error
    assert "obstacle" in shell.ok("hooks", "status").text
    assert shell.ok("hooks", "snippet", "post-commit").text.startswith("# >>> memgit >>>")
    assert "post-office" in shell.refused("hooks", "snippet", "post-office")


def test_status_as_json(shell: Shell) -> None:
    """A program gets each hook of each working tree with its state, its file and what was found there."""
    shell.ok("hooks", "install")
    result = shell.ok("hooks", "status", "--json").envelope["result"]
    (tree,) = result["worktrees"]
    assert (tree["name"], tree["obstacle"], result["push"], result["configured"]) == (".", None, False, False)
    assert {hook["state"] for hook in tree["hooks"]} == {"installed"}
    assert all(hook["path"].startswith(tree["directory"]) for hook in tree["hooks"])
