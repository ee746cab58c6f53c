# >>> memgit >>> tells `git memory` what Git did; `git memory hooks uninstall` takes these lines out
memgit=${GIT_DIR:-.git}
[ ! -f "$memgit" ] || IFS=' ' read -r memgit_line memgit <"$memgit" || :
STEP
if [ -f "$memgit/commondir" ]; then # a linked worktree
    IFS= read -r memgit_line <"$memgit/commondir" || :
    case $memgit_line in /* | ?:*) memgit=$memgit_line ;; *) memgit=$memgit/$memgit_line ;; esac
fi
memgit=$memgit/memgit/state/hooks/event.sh
[ ! -f "$memgit" ] || (
    set -- HOOK "$@"
    . "$memgit"
) </dev/null >/dev/null 2>&1 || :
# <<< memgit <<<
