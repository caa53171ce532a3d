# shellcheck shell=bash disable=SC2154
# Sourced by `scenario`, on the host and in the guest: the assertions of scenarios.

# strictly FUNCTION: runs FUNCTION so that the first failing command ends the scenario and is reported as the reason.
strictly() {
  set -Eeuo pipefail
  trap 'code=$?; unmet "line $LINENO: $BASH_COMMAND (exit status $code)"; exit 1' ERR
  "$1"
}
# unmet REASON: stores the reason of a failure. Keeps an earlier reason, because later failures follow from the first
# one.
unmet() { [ -s "$out/reason" ] || printf '%s\n' "$*" >"$out/reason"; }
fail() {
  unmet "$*"
  exit 1
}

# expect WHAT COMMAND…: fails unless COMMAND succeeds.
expect() {
  local what=$1
  shift
  "$@" || fail "$what ($*)"
  echo "· $what"
}
# expect-not WHAT COMMAND…: fails unless COMMAND fails.
expect-not() {
  local what=$1
  shift
  if "$@"; then fail "$what ($* succeeded)"; fi
  echo "· $what"
}
# eventually SECONDS COMMAND…: retries COMMAND until it succeeds, and fails after the timeout.
eventually() {
  local seconds=$1 end
  end=$((SECONDS + seconds))
  shift
  until "$@"; do
    [ "$SECONDS" -le "$end" ] || fail "not within $seconds s: $*"
    sleep 0.1
  done
}
# json FILTER [FILE…]: runs jq, and fails if the result is false, null or empty.
json() { jq -e "$@" >/dev/null; }
# trace-count FILTER: prints the number of events in the straps' trace that match (jq).
trace-count() { jq -s "[.[] | select($1)] | length" "$out/trace.jsonl"; }
