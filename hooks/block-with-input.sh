# >>> memgit >>> tells `git memory` what Git did; `git memory hooks uninstall` takes these lines out
memgit=${GIT_DIR:-.git}
[ ! -f "$memgit" ] || IFS=' ' read -r memgit_line memgit <"$memgit" || :
if [ -f "$memgit/commondir" ]; then # a linked worktree
    IFS= read -r memgit_line <"$memgit/commondir" || :
    case $memgit_line in /* | ?:*) memgit=$memgit_line ;; *) memgit=$memgit/$memgit_line ;; esac
fi
memgit=$memgit/memgit/state/hooks/event.sh
memgit_input='' memgit_part='' memgit_line=''
[ ! -f "$memgit" ] || [ -t 0 ] || while IFS= read -r memgit_line || [ -n "$memgit_line" ]; do
    memgit_part="$memgit_part${memgit_part:+
}$memgit_line" memgit_line=''
    [ "${#memgit_part}" -gt 8000 ] || continue # the whole is not copied for each line
    memgit_input="$memgit_input${memgit_input:+
}$memgit_part" memgit_part=''
    command -v cat >/dev/null 2>&1 || continue
    memgit_part=$(cat) || : # of much, the shell alone would take seconds
    break
done
memgit_input="$memgit_input${memgit_part:+${memgit_input:+
}$memgit_part}"
[ ! -f "$memgit" ] || (
    set -- HOOK "$@"
    . "$memgit"
) </dev/null >/dev/null 2>&1 || :
if [ -n "$memgit_input" ]; then # the hook that follows reads what this one was given
    exec <<MEMGIT
$memgit_input
MEMGIT
fi
# <<< memgit <<<
