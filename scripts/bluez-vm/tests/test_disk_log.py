import pathlib
import random
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from disk_log import PIECE, after_a_cut, entries  # noqa: E402

FLUSHED = None


def log(*writes, count=0):
    """Returns a log of disk writes. Each of `writes` is (piece, byte), a piece filled with that byte, or FLUSHED."""
    text = struct.pack("<QQQI", 0x6A736677736872, 1, count, 512).ljust(512, b"\0")
    for write in writes:
        if write is FLUSHED:
            text += struct.pack("<QQQQ", 0, 0, 1, 0).ljust(512, b"\0")
        else:
            piece, byte = write
            text += struct.pack("<QQQQ", piece * PIECE // 512, PIECE // 512, 0, 0).ljust(512, b"\0") + bytes([byte]) * PIECE
    return text


def cut(text, seed=1):
    disk, *_ = after_a_cut(bytes(8 * PIECE), text, random.Random(seed))
    return [disk[piece * PIECE] for piece in range(8)]


class DiskLogTests(unittest.TestCase):
    def test_what_was_flushed_is_there(self):
        for seed in range(50):
            self.assertEqual(cut(log((0, 1), (1, 2), FLUSHED, (2, 3)), seed)[:2], [1, 2])

    def test_what_was_not_flushed_is_there_or_not_in_any_order(self):
        found = {tuple(cut(log((0, 1), FLUSHED, (0, 2), (1, 3)), seed)[:2]) for seed in range(50)}
        self.assertEqual(found, {(1, 0), (1, 3), (2, 0), (2, 3)})

    def test_without_a_flush_nothing_is_certain(self):
        self.assertIn([0] * 8, [cut(log((0, 1), (1, 2)), seed) for seed in range(50)])

    def test_the_last_entry_may_be_half_there(self):
        whole = log((0, 1), FLUSHED, (1, 2))
        for short in (1, 512, PIECE, PIECE + 511):
            self.assertEqual(len(entries(whole[:-short])), 2)

    def test_a_log_that_lacks_what_it_counts_is_refused(self):
        with self.assertRaises(ValueError):
            entries(log((0, 1), FLUSHED, count=3))

    def test_what_is_no_log_is_refused(self):
        with self.assertRaises(ValueError):
            entries(bytes(4096))


if __name__ == "__main__":
    unittest.main()
