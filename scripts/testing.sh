# shellcheck shell=bash disable=SC2034
# The steps of `check` and `test`, which source this file in the root of the repository.
# shellcheck source=scripts/steps.sh
. scripts/steps.sh

# Tests that depend on the product's timeouts (25 s for a D-Bus call). Most start other processes. They run at the same
# time as the two virtual machines, which are mostly idle, and not with the hundreds of tests that need the CPU.
timed='^(BlueZ|Command|Gateway)Tests\.'

prepare() {
  need_swift
  need_memory
  need_space 4000 tests
  scripts/install --for-tests
  # setup exits with 125 and prints the reason if no kernel is available for the virtual machine. Its scenarios are then
  # skipped.
  scripts/bluez-vm/setup || [ $? -eq 125 ]
  # If the Python environment of the FHIR validator or of the browser cannot be installed, the tests that need it are
  # skipped.
  scripts/fhir-validator >/dev/null || true
  scripts/page-browser >/dev/null || true
}

lint() {
  echo "· swift format lint"
  swift format lint --strict --parallel --recursive Package.swift Sources Examples Tests Tools Benchmarks/SampleCreation/Sources \
    Benchmarks/SampleCreation/Package.swift Benchmarks/Variability/Sources Benchmarks/Variability/Package.swift Fuzz/Package.swift Fuzz/Sources/fuzz-*/*.swift
  echo "· scripts/words"
  scripts/words
}

# build [OPTION…]: builds the tests with these options (default: those of a debug build), and sets `program` to the test
# program.
build() {
  local options=("${debug_build[@]}")
  if [ $# -gt 0 ]; then options=("$@"); fi
  echo "· building (the first time takes minutes; output in .build/logs/tests.log)"
  logged tests swift build --build-tests "${options[@]}"
  : >.build/logs/tests.done
  program=$(swift build "${options[@]}" --show-bin-path)/hrgatePackageTests.xctest
}

# Maximum number of concurrent tests. If hundreds start at once, each one waits for the others and exceeds its timeouts.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((4 * $(nproc)))

results=$(mktemp -d) aside=
trap '[ -z "$aside" ] || kill "$aside"; rm -rf "$results"' EXIT
mkdir -p .build/logs 2>/dev/null || true
log=.build/logs/run.log
: 2>/dev/null >"$log" || true
status=0 runs=0
# Only newer toolchains can write the events from which the table of the slowest tests is made.
events=()
help=$(swift test --help-hidden 2>/dev/null || true)
if [[ $help == *--event-stream-output-path* ]]; then events=(--event-stream-output-path); fi
# run ARGUMENT…: runs the test program. If it fails, sets `status`, which becomes the exit status of the script.
run() {
  runs=$((runs + 1))
  NO_COLOR=1 "$program" --testing-library swift-testing ${events:+"$events" "$results/events.$runs"} "$@" 2>&1 |
    tee -a "$log" | shown || status=$?
}
# aside ARGUMENT…: starts the test program in the background, at the same time as the next `run`.
# await-aside: waits until the test program in the background has ended, and prints its output.
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
# Reads the output of the tests. Prints failures as they occur and, on a terminal, the number of passed tests.
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
# Prints the duration of each test, the sum over its cases, without the time that it waited to start. Tests with a case
# that did not end, for example because of a crash, are printed first. A crash can also truncate the last event.
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

# Matches log lines about skipped tests.
skipped='^➜ .*skipped'

# Prints the slowest tests, the skipped and the failed ones, and the result lines last.
# The patterns use (✔|✘), not [✔✘]: in the POSIX locale a bracket expression matches single bytes.
summary() {
  echo "· the ten slowest scenarios"
  sed -nE 's/^scenario ([^ ]+), ([0-9]+) s:$/\2 \1/p' "$log" | sort -rn | head -n 10 | awk '{ printf "%8d s  %s\n", $1, $2 }' || true
  echo "· the ten slowest tests (the sum of the cases of each)"
  slowest-tests || true
  echo "· skipped: $(grep -cE "$skipped" "$log" || true)"
  grep -E "$skipped" "$log" || true
  echo "· full output: $PWD/$log"
  grep -E '^(✘ Test .* failed after|FAIL |error: Exited)' "$log" | head -n 60 || true
  # A filter that matches no test is a mistake.
  if grep -q '^✔ Test run with 0 tests' "$log"; then status=1 && echo "FAIL a test run without tests"; fi
  grep -E '^(✔|✘) Test run with' "$log" || true
  exit "$status"
}
