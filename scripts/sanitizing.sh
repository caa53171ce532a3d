# shellcheck shell=bash
# The tests with sanitizers. Sourced by `test` in the root of the repository.

# Tests that do not run with a sanitizer: client packages link this build without a sanitizer's runtime, the virtual
# machine has too little memory, and tests of memory use would measure the sanitizer's memory.
unsanitized='^ScenarioTests\.|^RepositoryTests\.ClientTests/|^CommandTests\.(TransferMemoryTests|PageTests/.*takes no memory)'

# Disable leak reports. Swift's runtime keeps its allocations until the process ends, so they would all be reported.
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=suppressions=$PWD/scripts/thread-sanitizer.supp

# sanitize [address|thread] [ARGUMENT…]: the arguments go to the test program.
sanitize() {
  local sanitizers=(address thread)
  case ${1:-} in address | thread) sanitizers=("$1") && shift ;; esac
  prepare
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((2 * $(nproc)))
  for sanitizer in "${sanitizers[@]}"; do
    # Without debug information the sanitizers' reports have no source lines.
    local options=(--sanitize="$sanitizer" --scratch-path ".build-$sanitizer" "${compiler_limit[@]}")
    echo "· the $sanitizer sanitizer"
    build "${options[@]}"
    # Tests that depend on the product's timeouts run separately: with a sanitizer everything takes several times as
    # long, but these timeouts stay the same.
    if [ $# -gt 0 ]; then
      run --skip "$unsanitized" "$@"
    else
      run --filter "$timed" --skip "$unsanitized"
      run --skip "$unsanitized|$timed"
    fi
  done
}
