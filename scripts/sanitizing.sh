# shellcheck shell=bash
# Sourced by `test`, in the root of the repository: the tests under sanitizers.

# Programs outside the package are linked with what was built here, and not with a sanitizer; the virtual machine has no
# room for a sanitizer's memory; and what a sanitizer holds is no memory of a long export.
unsanitized='^ScenarioTests\.|^RepositoryTests\.ClientTests/|^CommandTests\.(TransferMemoryTests|PageTests/.*takes no memory)'

# Swift's runtime keeps what it makes for as long as the process lives, so that a count of leaks says nothing.
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=suppressions=$PWD/scripts/thread-sanitizer.supp

# sanitize [address|thread] [ARGUMENT…]: the arguments go to the test program.
sanitize() {
  local sanitizers=(address thread)
  case ${1:-} in address | thread) sanitizers=("$1") && shift ;; esac
  prepare
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((2 * $(nproc)))
  for sanitizer in "${sanitizers[@]}"; do
    # Reports need the debug information.
    local options=(--sanitize="$sanitizer" --scratch-path ".build-$sanitizer" "${compiler_limit[@]}")
    echo "· the $sanitizer sanitizer"
    build "${options[@]}"
    # Everything takes several times as long, and the product's own limits of time do not: those tests are by themselves.
    if [ $# -gt 0 ]; then
      run --skip "$unsanitized" "$@"
    else
      run --filter "$timed" --skip "$unsanitized"
      run --skip "$unsanitized|$timed"
    fi
  done
}
