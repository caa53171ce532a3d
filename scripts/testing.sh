# shellcheck shell=bash
# Sourced by `check` and `test`, in the root of the repository: their steps.
export SWIFT_BACKTRACE=enable=no

# Tests in which the product's own limits of time run (a call on D-Bus has 25 s), most of them with other processes. They
# do not get the cores beside tests that compute, so they go by themselves.
timed='^(BlueZ|Command|DBus|Example|Gateway|Ingestion|Process)Tests\.'

prepare() {
  scripts/install --for-tests
  # 125: no kernel to fetch for the virtual machine. Its scenarios say so, and are skipped.
  scripts/bluez-vm/setup || [ $? -eq 125 ]
}

lint() {
  echo "· swift format lint"
  swift format lint --strict --recursive Package.swift Sources Examples Tests Benchmarks/SampleCreation/Sources \
    Benchmarks/SampleCreation/Package.swift Fuzz/Package.swift Fuzz/Sources/fuzz-*/*.swift
}

build() {
  echo "· building"
  swift build --build-tests --explicit-target-dependency-import-check error
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# run ARGUMENT…: `swift test` with them. The first failure is the exit status in the end.
run() { swift test --skip-build "$@" 2>&1 | tee -a "$log" || status=$?; }

# The slowest, what was skipped and what failed, which may stand thousands of lines above; the summaries are the last words.
# Alternatives, not a bracket: in the POSIX locale a bracket knows single octets only.
summary() {
  echo "· the ten slowest scenarios"
  sed -nE 's/^scenario ([^ ]+), ([0-9]+) s:$/\2 \1/p' "$log" | sort -rn | head -n 10 | awk '{ printf "%8d s  %s\n", $1, $2 }' || true
  echo "· the ten slowest tests (in the same process others run beside them)"
  sed -nE 's/^(✔|✘) Test (.*) (passed|failed) after ([0-9.]+) seconds.*/\4 \2/p' "$log" | grep -vE '^[0-9.]+ (run|case) ' |
    sort -rn | head -n 10 | awk '{ time = $1; $1 = ""; printf "%10.1f s %s\n", time, $0 }' || true
  echo "· skipped: $(grep -cE '^➜ .*skipped' "$log" || true)"
  grep -E '^➜ .*skipped' "$log" || true
  grep -E '^(✘ Test .* recorded an issue|FAIL |error: Exited)' "$log" | head -n 60 || true
  grep -E '^(✔|✘) Test run with' "$log" || true
  exit "$status"
}
