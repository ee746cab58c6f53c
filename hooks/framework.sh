#!/bin/sh
# For pre-commit (the framework), which hands a hook's arguments over in variables: see .pre-commit-hooks.yaml.
case ${1:-} in
post-checkout)
    set -- post-checkout "${PRE_COMMIT_FROM_REF:--}" "${PRE_COMMIT_TO_REF:--}" "${PRE_COMMIT_CHECKOUT_TYPE:-1}"
    ;;
post-rewrite) set -- post-rewrite "${PRE_COMMIT_REWRITE_COMMAND:-}" ;;
pre-push) set -- pre-push "${PRE_COMMIT_REMOTE_NAME:-}" ;;
esac
. "${0%/*}/event.sh" </dev/null
