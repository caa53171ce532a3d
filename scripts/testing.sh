# shellcheck shell=bash disable=SC2034
# Sourced by `check` and `test`, in the root of the repository: their steps.
# shellcheck source=scripts/steps.sh
. scripts/steps.sh

# Tests in which the product's time limits apply (a D-Bus call has 25 s), most of them with other processes. They run
# beside the two virtual machines, which mostly wait, and not beside the hundreds of tests that compute.
timed='^(BlueZ|Command|Gateway)Tests\.'

prepare() {
  need_swift
  need_memory
  need_space 4000 tests
  scripts/install --for-tests
  # 125: no kernel to fetch for the virtual machine. Its scenarios say so, and are skipped.
  scripts/bluez-vm/setup || [ $? -eq 125 ]
  # Without one of them, that part of the tests says so, and is skipped.
  scripts/fhir-validator >/dev/null || true
  scripts/page-browser >/dev/null || true
}

lint() {
  echo "· swift format lint"
  swift format lint --strict --parallel --recursive Package.swift Sources Examples Tests Tools Benchmarks/SampleCreation/Sources \
    Benchmarks/SampleCreation/Package.swift Benchmarks/Variability/Sources Benchmarks/Variability/Package.swift Fuzz/Package.swift Fuzz/Sources/fuzz-*/*.swift
  echo "· scripts/words"
  scripts/words --total
}

# build [OPTION…]: the tests, with the options of a debug build or with these. `program` is the test program then.
build() {
  local options=("${debug_build[@]}")
  if [ $# -gt 0 ]; then options=("$@"); fi
  echo "· building (the first time takes minutes; output in .build/logs/tests.log)"
  logged tests swift build --build-tests "${options[@]}"
  : >.build/logs/tests.done
  program=$(swift build "${options[@]}" --show-bin-path)/hrgatePackageTests.xctest
}

# Maximum number of tests at a time. When hundreds begin at once, each waits for all others, and their time limits pass.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((4 * $(nproc)))

results=$(mktemp -d) aside=
trap '[ -z "$aside" ] || kill "$aside"; rm -rf "$results"' EXIT
mkdir -p .build/logs 2>/dev/null || true
log=.build/logs/run.log
: 2>/dev/null >"$log" || true
status=0 runs=0
# A toolchain that does not write events has no table of the slowest tests.
events=()
help=$(swift test --help-hidden 2>/dev/null || true)
if [[ $help == *--event-stream-output-path* ]]; then events=(--event-stream-output-path); fi
# run ARGUMENT…: the test program with them. A failure is the exit status in the end.
run() {
  runs=$((runs + 1))
  NO_COLOR=1 "$program" --testing-library swift-testing ${events:+"$events" "$results/events.$runs"} "$@" 2>&1 |
    tee -a "$log" | shown || status=$?
}
# aside ARGUMENT…: the test program with them, beside the next `run`.
# await-aside: its end, and then its output.
aside() {
  runs=$((runs + 1))
  NO_COLOR=1 "$program" --testing-library swift-testing ${events:+"$events" "$results/events.$runs"} "$@" \
    >"$results/aside" 2>&1 &
  aside=$!
}
await-aside() {
  wait "$aside" || status=$?
  aside=
  tee -a "$log" <"$results/aside" | shown
}
# Prints the failures as they come and, on a terminal, the number of tests that passed.
shown() {
  local line passed=0
  while IFS= read -r line; do
    case $line in
      '✔ Test '*) passed=$((passed + 1)) && if [ -t 1 ]; then printf '\r\e[K  %d tests passed' "$passed"; fi ;;
      '✘ Test '*issue* | '↳ '* | 'FAIL '* | 'error: '*) printf '%s\n' "$line" ;;
    esac
  done
  if [ -t 1 ]; then printf '\r\e[K'; fi
}
# The time of each test without its wait for a turn: the sum over its cases. First those of which a case did not end, as
# after a crash, which may cut the last line too.
slowest-tests() {
  cat "$results"/events.* 2>/dev/null | jq -R -n -r '
    [inputs | fromjson? | .payload | select(.kind == "testCaseStarted" or .kind == "testCaseEnded")]
    | group_by(.testID)
    | map({id: (.[0].testID | sub("/[^/]*:[0-9]+:[0-9]+$"; "")),
           open: (map(if .kind == "testCaseEnded" then -1 else 1 end) | add),
           time: (map(if .kind == "testCaseEnded" then .instant.absolute else -.instant.absolute end) | add)})
    | map(select(.id | startswith("ScenarioTests.ScenarioTests/scenario") or startswith("ScenarioTests.ScenarioTests/`scenario`") | not))
    | (.[] | select(.open > 0) | "unfinished \(.id)"), (map(select(.open == 0)) | sort_by(-.time)[:10][] | "\(.time) \(.id)")' |
    awk '{ time = $1; $1 = ""; if (time == "unfinished") printf "%12s%s\n", time, $0; else printf "%10.1f s%s\n", time, $0 }'
}

# A line of the log that tells of something that was not run.
skipped='^➜ .*skipped'

# The slowest, what was skipped and what failed; the summaries are the last words.
# Alternatives, not a bracket: in the POSIX locale a bracket knows single octets only.
summary() {
  echo "· the ten slowest scenarios"
  sed -nE 's/^scenario ([^ ]+), ([0-9]+) s:$/\2 \1/p' "$log" | sort -rn | head -n 10 | awk '{ printf "%8d s  %s\n", $1, $2 }' || true
  echo "· the ten slowest tests of several cases: the runner tells no case of the others"
  slowest-tests || true
  echo "· skipped: $(grep -cE "$skipped" "$log" || true)"
  grep -E "$skipped" "$log" || true
  echo "· full output: $PWD/$log"
  grep -E '^(✘ Test .* failed after|FAIL |error: Exited)' "$log" | head -n 60 || true
  grep -E '^(✔|✘) Test run with' "$log" || true
  exit "$status"
}
