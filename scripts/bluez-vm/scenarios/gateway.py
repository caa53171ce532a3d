"""The program under test in the guest: its commands, and `hrgate run` with its events for each monitor."""
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import threading
import time

OUT = pathlib.Path(os.environ["HRGATE_VM_OUT"])
HRGATE = os.environ["HRGATE"]
# The store is not in OUT, because SQLite's shared memory does not work over 9P.
STORE = "/root/health.sqlite"


def say(line):
    print(f"· {line}", flush=True)


# The identity addresses of straps that do not have the usual address of their index.
IDENTITIES = {}


def address(index, seed=1):
    return IDENTITIES.get(index, f"F0:0D:BE:A7:{seed:02X}:{index + 1:02X}")


def in_a_line(said):
    """Joins output to a single line, because the summary of all scenarios shows only the first line of a failure."""
    return " / ".join(said.strip().splitlines())


def guest(*words, seconds=120):
    """Runs a helper of the guest, or strapctl. Returns its output."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=seconds, check=False)
    said = done.stdout.decode(errors="replace").strip()
    assert done.returncode == 0, f"{' '.join(map(str, words))}: exit status {done.returncode}: {in_a_line(said)}"
    return said


def strapctl(*words):
    return guest("strapctl", *words)


def strap_status(index):
    return json.loads(strapctl("status"))[index]


def trace(index, event="sent"):
    lines = (OUT / "trace.jsonl").read_text().splitlines()
    return [item for item in map(json.loads, lines) if item["strap"] == index and item["event"] == event]


def as_user(user):
    """Returns the command prefix that runs a command as another user than root, as if logged in."""
    return [] if user is None else ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--reset-env", "--"]


def command(*words):
    store = () if {"--store", "--person", "people"} & set(words) else ("--store", STORE)
    return [HRGATE, *map(str, words), *store]


def hrgate(*words, status=0, seconds=150, **options):
    """Runs a command that ends on its own, and checks its exit status."""
    done = subprocess.run(command(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
                          check=False, **options)
    assert done.returncode == status, \
        f"hrgate {' '.join(map(str, words))}: exit status {done.returncode}, not {status}: " \
        f"{in_a_line(done.stdout + done.stderr)}"
    return done


def lines(*words, **options):
    """Returns the objects that a command prints with --json."""
    return [json.loads(line) for line in hrgate(*words, "--json", **options).stdout.splitlines()]


def at_terminal(*words, answers=(), status=0, seconds=120):
    """Runs a command at a terminal and answers its prompts. Each of `answers` is a pair: the end of a prompt, and a
    function from the output so far to the line to type. Returns the output."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(HRGATE, command(*words))
    shown, waiting, end = "", list(answers), time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 0.5)[0]:
                continue
            try:
                piece = os.read(terminal, 4096)
            except OSError:                             # Linux returns this error when the other side has exited
                break
            if not piece:
                break
            shown += piece.decode(errors="replace")
            if waiting and waiting[0][0] in shown:
                os.write(terminal, (waiting.pop(0)[1](shown) + "\n").encode())
        else:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code == status, f"hrgate {' '.join(map(str, words))} at a terminal: exit status {code}, not {status}: {shown}"
    assert not waiting, f"never asked {waiting[0][0]!r}: {shown}"
    return shown


def until(what, probe, seconds=60.0):
    """Returns the result of `probe` as soon as it is true."""
    end = time.monotonic() + seconds
    while True:
        if found := probe():
            return found
        assert time.monotonic() < end, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.1)


class Gateway:
    """`hrgate run --json`, with its output so far."""

    def __init__(self, *words, store=STORE, continued=False, user=None):
        """store: the path of the store, or None for the stores of all people. continued: whether frames sent since the
        previous run count too. user: the user to run as, with a separate output directory."""
        self.store, self.events, self.rest, self.lock = store, [], b"", threading.Lock()
        # `begun` excludes frames that were sent before this run, while monitors were enrolled: they are not expected in
        # the store.
        self.place = OUT if user is None else OUT / user
        self.place.mkdir(exist_ok=True)
        if not continued:
            (self.place / "begun").write_text(f"{time.time()}\n")
        self.log = open(self.place / "run.jsonl", "ab")
        self.file = open(self.place / "run.jsonl", "rb")
        self.file.seek(0, os.SEEK_END)
        self.errors = open(self.place / "run.err", "ab")
        place = () if store is None else ("--store", store)
        self.process = subprocess.Popen([*as_user(user), HRGATE, "run", "--json", *map(str, words), *place],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.errors)

    def look(self):
        """Reads new events, and adds to each the monotonic time at which it was read."""
        with self.lock:
            self.rest += self.file.read()
            whole, newline, self.rest = self.rest.rpartition(b"\n")
            if newline:
                self.events += [{**json.loads(line), "seen": time.monotonic()} for line in whole.split(b"\n")]
            return list(self.events)

    def alive(self):
        code = self.process.poll()
        assert code is None, f"hrgate run ended with {code}: {(self.place / 'run.err').read_text()[-300:]}"

    def states(self, index, since=0):
        """Returns the states of a monitor from event number `since` on."""
        return [event for event in self.look()[since:]
                if event["event"] == "state" and event["monitor"] == address(index)]

    def state(self, index):
        return self.states(index)[-1]["state"] if self.states(index) else None

    def mark(self):
        return len(self.look())

    def reaches(self, index, state, since=0, seconds=90.0):
        """Waits for the first event with this state from event number `since` on."""
        def probe():
            self.alive()
            return next((event for event in self.states(index, since) if event["state"] == state), None)
        try:
            return until(state, probe, seconds)
        except AssertionError:
            states = [event["state"] for event in self.states(index, since)]
            if len(states) > 20:
                states[10:-10] = [f"… {len(states) - 20} more …"]
            said = " → ".join(states) or "nothing new"
            raise AssertionError(f"{address(index)} not {state} within {seconds:.0f} s, but {said}") from None

    def measures(self, *indices, seconds=90.0):
        """Waits until each monitor has the state `following` and its strap sends new frames."""
        for index in indices:
            def probe(index=index):
                self.alive()
                return self.state(index) == "following"
            until(f"{address(index)} is followed (it is {self.state(index)})", probe, seconds)
        for index in indices:
            count = strap_status(index)["sent"]
            until(f"strap {index} sends", lambda index=index, count=count: strap_status(index)["sent"] > count + 1, seconds)

    def stop(self, seconds=120, number=signal.SIGINT, status=0):
        """Stops the gateway with a signal. Returns the counts of its last line, and how long the stop took."""
        self.alive()
        told = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(seconds)
        took = time.monotonic() - told
        assert code == status, f"hrgate run ended with {code}: {(self.place / 'run.err').read_text()[-300:]}"
        end = self.look()[-1]
        assert end["event"] == "end", end
        rejected, stored = sum(end["rejected"].values()), end["stored"].get("HKQuantityTypeIdentifierHeartRate", 0)
        self.keep()
        return {**end, "rejectedTotal": rejected, "storedHeartRates": stored, "took": took}

    def close(self):
        """Closes the gateway's output files, for scenarios that start many gateways."""
        for file in (self.log, self.file, self.errors):
            file.close()

    def keep(self):
        """Copies the gateway's store to the output directory, where the host can read it. Removes the write-ahead log
        of an older copy, which SQLite would apply to the new one."""
        for suffix in ("", "-wal", "-shm") if self.store else ():
            source, kept = pathlib.Path(self.store + suffix), self.place / f"health.sqlite{suffix}"
            kept.unlink(missing_ok=True)
            if source.exists() and suffix != "-shm":
                kept.write_bytes(source.read_bytes())


def begin(groups):
    """Runs the function of the group that is named in the arguments. The main function of each file of checks."""
    try:
        groups[sys.argv[1]]()
    except Exception as problem:
        (OUT / "reason").write_text(f"{type(problem).__name__}: {problem}\n")
        raise
