# shellcheck shell=bash disable=SC2154
# Sourced by `scenario`, here and in the guest: what a scenario asserts with.

# strictly FUNCTION: runs it so that the first failing command ends the scenario, with that command as the reason.
strictly() {
  set -Eeuo pipefail
  trap 'code=$?; unmet "line $LINENO: $BASH_COMMAND (exit status $code)"; exit 1' ERR
  "$1"
}
# The first reason stands; what fails after it follows from it.
unmet() { [ -s "$out/reason" ] || printf '%s\n' "$*" >"$out/reason"; }
fail() {
  unmet "$*"
  exit 1
}

# expect WHAT COMMAND…: COMMAND has to succeed.
expect() {
  local what=$1
  shift
  "$@" || fail "$what ($*)"
  echo "· $what"
}
# expect-not WHAT COMMAND…: COMMAND has to fail.
expect-not() {
  local what=$1
  shift
  if "$@"; then fail "$what ($* succeeded)"; fi
  echo "· $what"
}
# eventually SECONDS COMMAND…: COMMAND has to succeed within that time; it is tried again and again until it does.
eventually() {
  local seconds=$1 end
  end=$((SECONDS + seconds))
  shift
  until "$@"; do
    [ "$SECONDS" -le "$end" ] || fail "not within $seconds s: $*"
    sleep 0.1
  done
}
# json FILTER [FILE…]: jq, where false, null or nothing at all fails.
json() { jq -e "$@" >/dev/null; }
# trace-count FILTER: how many events of the straps' trace are such (jq).
trace-count() { jq -s "[.[] | select($1)] | length" "$out/trace.jsonl"; }
