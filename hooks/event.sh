# One line in the spool of `git memory` for what Git just did. POSIX sh, builtins only: no other program is started,
# nothing is asked, nothing is printed, and the status is 0 whatever happens.
#
# Sourced in a subshell after `set -- HOOK ARGUMENTS…`, or run as `sh event.sh HOOK ARGUMENTS…` in the directory in which
# Git runs hooks. The fields of a line are explained in memgit/checkpoints/spool.py, which reads them.

exec 2>/dev/null
set +e +u +C -f
LC_ALL=C # lengths are bytes
tab='	' newline='
'
IFS=" $tab$newline"

find_repository() { # sets git_dir, common, state and worktree; ends where there is no memory
    git_dir=${GIT_DIR:-.git}
    if [ -f "$git_dir" ]; then # a submodule or a linked worktree
        base=.
        case $git_dir in */*) base=${git_dir%/*} ;; esac
        IFS= read -r line <"$git_dir"
        line=${line#gitdir: }
        case $line in /* | ?:*) git_dir=$line ;; *) git_dir=$base/$line ;; esac
    elif [ ! -d "$git_dir" ] && [ -f HEAD ]; then
        git_dir=.
    fi
    common=${GIT_COMMON_DIR:-$git_dir} worktree=.
    if [ -f "$git_dir/commondir" ]; then
        worktree=worktrees/${git_dir##*/}
        if [ -z "${GIT_COMMON_DIR:-}" ]; then
            IFS= read -r line <"$git_dir/commondir"
            case $line in /* | ?:*) common=$line ;; *) common=$git_dir/$line ;; esac
        fi
    fi
    state=$common/memgit/state
    [ -d "$state" ] || exit 0
}

is_free() { # PATH: a file, or nothing; to open a pipe would wait for its reader
    [ -f "$1" ] || [ ! -e "$1" ]
}

failed() { # WHY: leave word for the next command, in the first place that takes it
    for place in "$state/hook-failed" "$common/memgit/hook-failed" "$common/memgit-hook-failed"; do
        ! is_free "$place" || ! printf '%s %s\n' "$hook" "$1" >"$place" || break
    done
    exit 0
}

find_head() { # sets branch and, where a file says it, head
    branch=- head=-
    IFS= read -r line <"$git_dir/HEAD"
    case $line in
    'ref: refs/heads/.invalid') # refs are kept in tables, which only Git reads
        branch=$(git symbolic-ref -q HEAD) || branch=-
        head=$(git rev-parse -q --verify HEAD) || head=-
        ;;
    'ref: '*)
        branch=${line#ref: }
        [ ! -f "$common/$branch" ] || IFS= read -r head <"$common/$branch"
        ;;
    *) head=$line ;;
    esac
}

find_cause() { # sets cause: what Git is in the middle of; with it where that began, and for a rebase the branch
    cause=- began=- place=
    if [ -d "$git_dir/rebase-merge" ]; then
        cause=rebase place=$git_dir/rebase-merge
    elif [ -f "$git_dir/rebase-apply/applying" ]; then
        cause=am place=$git_dir/rebase-apply
    elif [ -d "$git_dir/rebase-apply" ]; then
        cause=rebase place=$git_dir/rebase-apply
    elif [ -f "$git_dir/sequencer/todo" ]; then
        cause=cherry-pick place=$git_dir/sequencer
        read -r word line <"$place/todo"
        [ "$word" != revert ] || cause=revert
    elif [ -f "$git_dir/CHERRY_PICK_HEAD" ]; then
        cause=cherry-pick
    elif [ -f "$git_dir/REVERT_HEAD" ]; then
        cause=revert
    elif [ -f "$git_dir/MERGE_HEAD" ]; then
        cause=merge
    elif [ "$hook" = post-checkout ] && [ -f "$git_dir/BISECT_LOG" ]; then
        cause=bisect # what else a person does during a bisect is no step of it
    fi
    [ -n "$place" ] || return
    [ ! -f "$place/head" ] || IFS= read -r began <"$place/head"
    [ ! -f "$place/orig-head" ] || IFS= read -r began <"$place/orig-head"
    [ ! -f "$place/head-name" ] || IFS= read -r branch <"$place/head-name"
}

find_moment() { # sets moment: seconds since 1970, or since the system started; and file, whose own time stands in for none
    moment=${EPOCHREALTIME:-} file=events
    [ -n "$moment" ] || { read -r moment line </proc/uptime && moment=u$moment; }
    [ -n "$moment" ] || { moment=- file=events-$$; }
}

is_on() { # VALUE of a variable that switches something
    case $1 in '' | 0 | [Ff][Aa][Ll][Ss][Ee] | [Nn][Oo] | [Oo][Ff][Ff]) return 1 ;; esac
}

find_agent() { # sets agent, as memgit/environment.py finds it
    agent=
    if [ -n "${MEMGIT_AGENT+said}" ]; then
        agent=$MEMGIT_AGENT
        return
    fi
    agent=${AI_AGENT:-}
    [ -z "$agent" ] || return
    if is_on "${CURSOR_AGENT:-}"; then
        agent=cursor
    elif is_on "${GEMINI_CLI:-}"; then
        agent=gemini
    elif is_on "${CODEX_SANDBOX:-}" || is_on "${CODEX_THREAD_ID:-}"; then
        agent=codex
    elif is_on "${CLAUDECODE:-}"; then
        agent=claude-code
    fi
}

field() { # TEXT LIMIT: sets value to the text as a field; what is longer than so many bytes is left out
    value=$1 limit=$2
    case $value in
    *["$tab$newline"]*)
        IFS=$tab$newline
        # shellcheck disable=SC2086 # split on purpose
        set -- $value
        IFS=' '
        value="$*"
        IFS=" $tab$newline"
        ;;
    esac
    [ -n "$value" ] && [ "${#value}" -le "$limit" ] || value=-
}

admit() { # one more run, unless nobody has emptied the spool for too long
    count=0
    [ ! -f "$state/spool/count" ] || read -r count <"$state/spool/count"
    case $count in '' | *[!0-9]* | 0?* | ??????*) count=0 ;; esac
    if [ "$count" -ge 5000 ]; then
        [ -e "$state/spool/overflow" ] || printf '%s\n' "$hook" >"$state/spool/overflow"
        exit 0
    fi
    is_free "$state/spool/count" || failed "cannot write $state/spool/count, which is no file"
    printf '%s\n' "$((count + 1))" >"$state/spool/count" || failed "cannot write in $state/spool"
}

append() { # PAIRS: one line, one write; the empty line before it ends whatever a crash cut short
    is_free "$state/spool/$file" || failed "cannot append to $state/spool/$file, which is no file"
    printf '\n1\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$hook" "$moment" "$worktree" "$cause" \
        "${before:--}" "${after:--}" "${branch:--}" "$argument" "$agent" "$session" "$context" "$1" \
        >>"$state/spool/$file" || failed "cannot append to $state/spool/$file"
}

pair() { # OLD NEW …: one more pair; several lines where they are many
    [ -n "${2:-}" ] || return 0
    [ "$told" -lt 20000 ] || { # the spool is bounded
        [ -z "$pairs" ] || append "$pairs"
        failed "only the first $told rewritten commits were noted"
    }
    pairs=$pairs${pairs:+,}$1:$2 told=$((told + 1))
    if [ "${#pairs}" -gt 1000 ]; then
        append "$pairs"
        pairs=
    fi
}

rewritten() { # standard input as `old:new` pairs; status 1 where there is none
    while read -r old new line; do
        pair "$old" "$new"
    done
    [ -z "$pairs" ] || append "$pairs"
    [ "$told" -gt 0 ]
}

rewritten_of_block() { # the same of what a block has read
    IFS=$newline
    for line in ${memgit_input:-}; do
        IFS=" $tab"
        # shellcheck disable=SC2086 # split on purpose
        pair $line
    done
    IFS=" $tab$newline"
    [ -z "$pairs" ] || append "$pairs"
    [ "$told" -gt 0 ]
}

start_sync() { # the memory goes where the push goes, by a process of its own that holds nothing of this one
    IFS= read -r program <"$state/hooks/push" || return
    [ -x "$program" ] || failed "cannot start $program"
    unset GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_ALTERNATE_OBJECT_DIRECTORIES \
        GIT_IMPLICIT_WORK_TREE GIT_QUARANTINE_PATH GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_CONFIG
    (
        trap '' HUP INT QUIT
        exec "$program" hooks after-push "$argument" \
            </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    ) &
}

hook=${1:-}
argument=- before=- after=-
pairs='' told=0
find_repository
find_moment
find_head
find_cause
find_agent
field "$agent" 100
agent=$value
field "${MEMGIT_SESSION:-}" 100
session=$value
field "${MEMOREE_CONTEXT:-}" 900
context=$value
field "$branch" 500
branch=$value

if [ -n "${MEMGIT_HOOK_PROBE:-}" ]; then # `git memory doctor` asks whether a line arrives
    field "$hook:$MEMGIT_HOOK_PROBE" 100
    argument=$value
    hook=probe
    append -
    exit 0
fi
case $hook in
pre-commit)
    before=$head
    ;;
post-commit)
    after=$head
    ;;
post-checkout)
    [ "${4:-1}" = 1 ] || exit 0 # files, not a branch
    before=${2:--} after=${3:--}
    ;;
post-merge)
    [ ! -f "$git_dir/ORIG_HEAD" ] || IFS= read -r before <"$git_dir/ORIG_HEAD"
    after=$head
    ;;
post-rewrite)
    after=$head
    field "${2:-}" 40
    argument=$value
    [ "$cause" != - ] || cause=$argument
    ;;
pre-push)
    case ${2:-} in *:*) ;; *) field "${2:-}" 200 && argument=$value ;; esac # a URL may hold a password
    before=$head
    ;;
*) exit 0 ;;
esac
[ "$began" = - ] || [ "$hook" = pre-push ] || before=$began # each step of a rebase says where the rebase began
admit
if [ "$hook" != post-rewrite ]; then
    append -
elif ! rewritten_of_block && ! rewritten; then
    # A tool that called us kept the input to itself; of a rebase it is also in a file.
    rewritten <"$git_dir/rebase-merge/rewritten-list" || rewritten <"$git_dir/rebase-apply/rewritten" || append -
fi
[ "$hook" != pre-push ] || [ ! -f "$state/hooks/push" ] || start_sync
exit 0
