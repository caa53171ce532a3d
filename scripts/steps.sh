# shellcheck shell=bash
# Sourced in the root of the repository by the scripts that install and build. Logs their steps, and checks the machine:
# each problem is reported in one sentence with its remedy.
export SWIFT_BACKTRACE=enable=no
# Make Git end a connection that transfers nothing for 30 seconds.
export GIT_HTTP_LOW_SPEED_LIMIT=1 GIT_HTTP_LOW_SPEED_TIME=30 GIT_TERMINAL_PROMPT=0

fail() {
  echo "$*" >&2
  exit 1
}

# need_swift: fails unless there is a toolchain that runs and is new enough.
need_swift() {
  local site=https://www.swift.org/install/linux/ version
  command -v swift >/dev/null || fail "swift is not on PATH. Install Swift 6.2 or later ($site)."
  version=$(swift --version 2>&1) || fail "swift does not run (${version##*$'\n'}). Install Swift 6.2 or later ($site)."
  [[ $version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || fail "swift --version prints no version. Install Swift 6.2 or later ($site)."
  [ $((BASH_REMATCH[1] * 100 + BASH_REMATCH[2])) -ge 602 ] ||
    fail "Swift ${BASH_REMATCH[1]}.${BASH_REMATCH[2]} is too old. Install Swift 6.2 or later ($site)."
}

# need_space MB BUILD: fails unless there are MB megabytes of free disk space for the first build with this name. Later
# builds replace its files.
need_space() {
  local free
  free=$(df -Pm . | awk 'NR == 2 {print $4}')
  if [ "$free" -lt "$1" ] && [ ! -e ".build/logs/$2.done" ]; then
    fail "The disk of $PWD has $free MB free and the first build needs $1 MB. Free some space or clone to another disk."
  fi
  if ! mkdir -p .build/logs 2>/dev/null || ! (: >.build/logs/writable) 2>/dev/null; then
    fail "$PWD/.build is not writable for $(id -un). Clone the repository as the user who builds it."
  fi
}

# memory: prints the memory of this machine or container, with swap, in MB.
memory() {
  local limit
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null) || limit=
  awk -v limit="$limit" '
    /^MemTotal:/ {memory = $2} /^SwapTotal:/ {swap = $2}
    END {
      if (limit ~ /^[0-9]+$/ && limit / 1024 < memory) memory = limit / 1024
      print int((memory + swap) / 1024)
    }' /proc/meminfo
}

# need_memory: fails unless there is memory for one compiler process. The largest module takes 1.3 GB.
need_memory() {
  [ "$(memory)" -ge 1700 ] || fail "The build needs 2 GB of memory and this machine has $(memory) MB. Add swap, for example:
  fallocate -l 2G /swap && chmod 600 /swap && mkswap /swap && swapon /swap"
}

# compilers: prints the option that allows one compiler process for each 2 GB of memory. SwiftPM's default is one for each
# core.
compilers() {
  local fits=$((($(memory) + 512) / 2048))
  if [ "$fits" -lt "$(nproc)" ]; then printf '%s\n' --jobs $((fits > 1 ? fits : 1)); fi
}

# The options of all release and debug builds. Debug information and the index would take a quarter of the build time.
# SwiftPM compiles everything again if any option changes, including the number of jobs.
mapfile -t compiler_limit < <(compilers)
release_build=(-c release -Xswiftc -gnone --explicit-target-dependency-import-check error "${compiler_limit[@]}")
# A debug build compiles a module in batches of files, and each batch reads all files of the module. With two batches
# for each module instead of one for every 25 files, a build takes a seventh less CPU.
debug_build=(--disable-index-store -Xswiftc -gnone -Xswiftc -driver-batch-size-limit -Xswiftc 1000
  --explicit-target-dependency-import-check error "${compiler_limit[@]}")

# logged NAME COMMAND…: writes all output to .build/logs/NAME.log and shows SwiftPM's progress on a terminal. If the
# command fails, prints the reason and exits.
logged() {
  local log=.build/logs/$1.log status
  shift
  if "$@" 2>&1 | tee "$log" 2>/dev/null | progress; then return; else status=${PIPESTATUS[0]}; fi
  explain "$log"
  exit "$((status > 0 ? status : 1))"
}

progress() {
  local line
  while IFS= read -r line; do
    if [ -t 2 ] && [[ $line =~ ^\[([0-9]+/[0-9]+)\] ]]; then printf '\r\e[K  %s' "${BASH_REMATCH[1]}" >&2; fi
  done
  if [ -t 2 ]; then printf '\r\e[K' >&2; fi
}

# explain LOG: prints in one sentence why a step failed, and the path of its output.
explain() {
  local log=$1 reason
  has() { grep -qiE "$1" "$log"; }
  if [ "$(df -Pm . | awk 'NR == 2 {print $4}')" -lt 20 ] || has 'No space left on device|enough free space|quota exceeded'; then
    reason="The disk is full ($(df -Ph . | awk 'NR == 2 {print $4}') free in $PWD, $(df -Ph /var | awk 'NR == 2 {print $4}') in /var). Free some space and run this again."
  elif has 'dpkg was interrupted|dpkg --configure|apt --fix-broken'; then
    reason="An earlier package installation was interrupted. Run as root: dpkg --configure -a && apt-get install -f"
  elif has 'could not get lock|unable to (acquire|lock)'; then
    reason="Another program is installing packages. Run this again when it is done."
  elif has 'not in the sudoers|a password is required|incorrect password'; then
    reason="sudo did not give root. Ask an administrator to install the packages."
  elif has 'could not resolve|temporary failure|failed to fetch|failed to clone|Git command .* failed|unable to (connect|access)|could not connect|timed out|network is unreachable|connection refused|low speed'; then
    reason="Packages could not be downloaded. Connect to the network (or set http_proxy and https_proxy) and run this again."
  elif has 'unable to locate package|no installation candidate'; then
    reason="apt does not know $(sed -nE "s/.*(Unable to locate package|Package '?)([^' ]+).*/\2/p" "$log" | head -n 1). Debian 12 and its relatives have it: check /etc/apt/sources.list."
  elif has 'out of memory|cannot allocate memory|signal 9|: killed'; then
    reason="The compiler ran out of memory. Close other programs or add swap, and run this again."
  else
    reason=$(grep -E '(^|[ :])(error|E): ' "$log" | sort -u | head -n 5)
    [ -n "$reason" ] || reason=$(tail -n 5 "$log")
  fi
  printf '%s\nFull output: %s\n' "$reason" "$PWD/$log" >&2
}
