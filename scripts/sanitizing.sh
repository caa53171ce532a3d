# shellcheck shell=bash
# The tests with sanitizers. Sourced by `test` in the root of the repository.

# Tests that do not run with a sanitizer: client packages link this build without a sanitizer's runtime, the virtual
# machine has too little memory, and tests of memory use would measure the sanitizer's memory.
unsanitized='^ScenarioTests\.|^RepositoryTests\.ClientTests/|^CommandTests\.(TransferMemoryTests|PageTests/.*takes no memory)'

# Swift's runtime keeps its allocations until the process ends, so leak reports are useless.
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=suppressions=$PWD/scripts/thread-sanitizer.supp

# sanitize [address|thread] [ARGUMENT…]: the arguments go to the test program.
sanitize() {
  local sanitizers=(address thread)
  case ${1:-} in address | thread) sanitizers=("$1") && shift ;; esac
  prepare
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((2 * $(nproc)))
  for sanitizer in "${sanitizers[@]}"; do
    # Reports need debug information.
    local options=(--sanitize="$sanitizer" --scratch-path ".build-$sanitizer" "${compiler_limit[@]}")
    echo "· the $sanitizer sanitizer"
    build "${options[@]}"
    # Everything takes several times as long, but the product's timeouts stay the same: tests that depend on them run alone.
    if [ $# -gt 0 ]; then
      run --skip "$unsanitized" "$@"
    else
      run --filter "$timed" --skip "$unsanitized"
      run --skip "$unsanitized|$timed"
    fi
  done
}
