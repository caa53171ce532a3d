#!/usr/bin/env python3
"""power_cuts.py OUT COUNT STRAPS [SCENARIO]: boots the machine of a scenario (power-cut) repeatedly, and cuts its power,
on the host.

HRGATE_SEED repeats the moments of the cuts and the choice of the writes that the disk loses."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

VM = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(VM))
import disk_log  # noqa: E402


def boot(out, plan, straps, limit, scenario):
    """Boots the machine once. Appends the straps' trace. Returns the exit status."""
    (out / "plan").write_text(json.dumps(plan))
    trace = out / "trace.boot.jsonl"
    for _ in range(2):                                  # a busy host starves a boot, and rarely twice
        shutil.copyfile(out / "disk", out / "disk.before")
        (out / "disk.log").write_bytes(b"")
        done = subprocess.run(
            [VM / "run", "-o", out, "-s", f"--trace {trace} {straps}", "-t", str(limit), "-D", "disk", "-e", "HRGATE", "--",
             "bash", VM / "scenario", "--in-guest", scenario], check=False, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in (124, 125) or "command starts" in (out / "guest.log").read_text():
            break
        shutil.copyfile(out / "disk.before", out / "disk")
    with open(out / "trace.jsonl", "a") as whole:
        whole.write(trace.read_text())
    quiet = done.returncode in (0, 137)
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith("·") or not quiet), flush=True)
    return done.returncode


def main():
    out, count, straps = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    scenario = sys.argv[4] if len(sys.argv) > 4 else "power-cut"
    limit = 400 if scenario == "power-cut" else 900
    seed = int(os.environ.get("HRGATE_SEED") or time.time())
    print(f"· seed {seed}, {count} cuts", flush=True)
    chance = random.Random(seed)
    total = 0
    for number in range(1, count + 1):
        followed = chance.random() < 0.75
        plan = {"for": "a cut", "followed": followed, "after": chance.uniform(0.1, 12 if followed else 4)}
        status = boot(out, plan, straps, limit, scenario)
        if status != 137:
            if not (out / "reason").exists():
                (out / "reason").write_text(f"cut {number} of {count}: the machine ended with {status}\n")
            return 1
        kept, pieces, lost = disk_log.cut(out / "disk.before", out / "disk.log", out / "disk", chance.random())
        total += lost
        print(f"· cut {number}, {plan['after']:.1f} s after {'all were followed' if followed else 'the beginning'}: {kept} writes "
              f"were on the disk, of {pieces} pieces that were not yet {lost} are lost", flush=True)
    if boot(out, {"for": "the end"}, straps, limit, scenario):
        return 1
    print(f"· {count} cuts, {total} pieces of 4 KB lost")
    if count >= 5 and not total:
        (out / "reason").write_text("no cut lost anything: this disk keeps nothing back\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
