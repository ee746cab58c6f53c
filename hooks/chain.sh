# What was here before memgit runs now: with the same arguments and input, and its status is this hook's.
case $0 in */*) memgit=${0%/*} ;; *) memgit=. ;; esac
[ ! -x "$memgit/before-memgit/HOOK" ] || exec "$memgit/before-memgit/HOOK" "$@"
