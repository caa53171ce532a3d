#!/usr/bin/env python3
"""disk_log.py IMAGE LOG RESULT [--seed N]: computes the contents of a disk with a write cache after a power cut.

IMAGE   the disk as it was when the machine started
LOG     QEMU's log of each write and flush since then (its driver blklogwrites; the format of dm-log-writes)
RESULT  the disk as it is after the cut

RESULT has everything that was written before the last flush. Later writes were in the disk's cache: of each 4 KB of
them, chance decides whether they reached the disk, in any order."""
import argparse
import pathlib
import random
import struct

MAGIC, SECTOR, PIECE = 0x6A736677736872, 512, 4096
FLUSH, DISCARD = 1, 4


class Entry:
    def __init__(self, offset, data, is_flush):
        self.offset, self.data, self.is_flush = offset, data, is_flush


def entries(log):
    """Returns the entries of the log. Ignores an incomplete last entry, which a killed machine leaves."""
    magic, version, count, size = struct.unpack_from("<QQQI", log)
    if (magic, version) != (MAGIC, 1):
        raise ValueError("this is no log of writes")
    place, found = size, []
    while place + size <= len(log):
        sector, sectors, flags, length = struct.unpack_from("<QQQQ", log, place)
        octets = 0 if flags & DISCARD else sectors * size
        if (sector, sectors, flags) == (0, 0, 0) or place + size + octets > len(log):
            break
        found.append(Entry(sector * size, log[place + size:place + size + octets], bool(flags & FLUSH)))
        place += size + octets
    # QEMU updates the count with each flush, so at least this many entries must be complete.
    if len(found) < count:
        raise ValueError(f"the log of writes has {len(found)} of {count} entries")
    return found


def after_a_cut(image, log, chance):
    """Returns the disk's bytes, the number of writes that certainly reached it, and the numbers of pieces that were not
    flushed and that were lost."""
    found = entries(log)
    last = max((number for number, entry in enumerate(found) if entry.is_flush), default=-1)
    disk, pieces, lost = bytearray(image), 0, 0
    for number, entry in enumerate(found):
        for start in range(0, len(entry.data), PIECE):
            piece = entry.data[start:start + PIECE]
            if number > last:
                pieces += 1
                if chance.random() < 0.5:
                    lost += 1
                    continue
            disk[entry.offset + start:entry.offset + start + len(piece)] = piece
    return disk, sum(1 for entry in found[:last + 1] if entry.data), pieces, lost


def cut(image, log, result, seed):
    disk, kept, pieces, lost = after_a_cut(pathlib.Path(image).read_bytes(), pathlib.Path(log).read_bytes(), random.Random(seed))
    pathlib.Path(result).write_bytes(disk)
    return kept, pieces, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image")
    parser.add_argument("log")
    parser.add_argument("result")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    kept, pieces, lost = cut(chosen.image, chosen.log, chosen.result, chosen.seed)
    print(f"{kept} writes were on the disk; of {pieces} pieces that were not, {lost} are lost")


if __name__ == "__main__":
    main()
