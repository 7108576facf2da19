"""The codecs' arithmetic in NumPy, as one writes it there: times for CodecTable to stand beside.

    python3 codecs.py [bytes ...]        by default 1048576 and 67108864 bytes of float32

One thread (NumPy's element-wise loops have no more). Temporaries as large as the values lie in memory that was allocated before, wherever NumPy has an `out`.
Prints the least of several processor times, in microseconds, and memcpy's.
"""

import sys
import time

import numpy as np


def least(work, at_least=0.5):
    best, begun, times = float("inf"), time.perf_counter(), 0
    while times < 5 or time.perf_counter() - begun < at_least:
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
        times += 1
    return best * 1e6


class OneBit:
    def __init__(self, count):
        self.b = np.empty(count, np.float32)
        self.squares = np.empty(count, np.float64)
        self.positive = np.empty(count, np.bool_)
        self.signs = np.empty(count, np.float32)

    def encode(self, b):
        np.square(b, out=self.squares, dtype=np.float64)
        scale = np.float32(np.sqrt(np.sum(self.squares)) / np.sqrt(b.size))
        np.less(b, 0, out=self.positive)
        np.logical_not(self.positive, out=self.positive)
        return scale, np.packbits(self.positive)

    def encode_with_error(self, x, e, after):
        np.add(x, e, out=self.b)
        scale, bits = self.encode(self.b)
        self.signed(self.positive, scale)
        np.subtract(self.b, self.signs, out=after)
        return scale, bits

    def signed(self, positive, scale):
        """The scale with the sign of each bit: twice the bit, less one, times the scale."""
        np.multiply(positive, np.float32(2), out=self.signs)
        self.signs -= 1
        self.signs *= scale

    def decode_and_add(self, encoded, weight, total):
        scale, bits = encoded
        self.signed(np.unpackbits(bits, count=total.size), np.float32(scale * np.float32(weight)))
        total += self.signs


class Blocks:
    def __init__(self, count, levels, block):
        self.levels, self.block = levels, block
        self.b = np.empty(count, np.float32)
        self.rows = np.empty((count // block, block), np.float32)
        self.q = np.empty((count // block, block), np.int8)
        self.upper = np.empty((count // block, block // 2), np.int8)

    def quantise(self, b):
        rows = b.reshape(-1, self.block)
        np.abs(rows, out=self.rows)
        largest = np.max(self.rows, axis=1)
        np.multiply(rows, (np.float32(self.levels) / largest)[:, None], out=self.rows)
        np.rint(self.rows, out=self.rows)
        np.copyto(self.q, self.rows, casting="unsafe")
        return largest

    def packed(self):
        """The bytes, or the half bytes of the first half of each block below those of the second."""
        if self.levels == 127:
            return self.q.copy()
        half = self.block // 2
        np.left_shift(self.q[:, half:], 4, out=self.upper)
        return (self.q[:, :half] & 15) | self.upper

    def numbers(self, largest, packed):
        if self.levels == 127:
            np.multiply(packed, np.float32(1 / self.levels), out=self.rows)
        else:
            half = self.block // 2
            np.left_shift(packed, 4, out=self.upper)
            np.right_shift(self.upper, 4, out=self.upper)
            np.multiply(self.upper, np.float32(1 / self.levels), out=self.rows[:, :half])
            np.right_shift(packed, 4, out=self.upper)
            np.multiply(self.upper, np.float32(1 / self.levels), out=self.rows[:, half:])
        np.multiply(self.rows, largest[:, None], out=self.rows)
        return self.rows.reshape(-1)

    def encode(self, x):
        return self.quantise(x), self.packed()

    def encode_with_error(self, x, e, after):
        np.add(x, e, out=self.b)
        largest, packed = self.encode(self.b)
        np.subtract(self.b, self.numbers(largest, packed), out=after)
        return largest, packed

    def decode_and_add(self, encoded, weight, total):
        largest, packed = encoded
        total += self.numbers(largest * np.float32(weight), packed)


def main():
    sizes = [int(size) for size in sys.argv[1:]] or [1 << 20, 64 << 20]
    random = np.random.default_rng(1)
    for size in sizes:
        count = size // 4
        x = random.standard_normal(count, np.float32)
        e = random.standard_normal(count, np.float32)
        after, total = np.empty_like(x), np.zeros_like(x)
        print(f"{size} bytes: memcpy {least(lambda: np.copyto(after, x)):.0f} us")
        for name, codec in (("one-bit", OneBit(count)), ("int8", Blocks(count, 127, 2048)), ("int4", Blocks(count, 7, 256))):
            encoded = codec.encode_with_error(x, e, after)
            print(
                f"  {name:8} encode {least(lambda: codec.encode(x)):.0f} us"
                f", encodeWithError {least(lambda: codec.encode_with_error(x, e, after)):.0f} us"
                f", decodeAndAdd {least(lambda: codec.decode_and_add(encoded, 0.5, total)):.0f} us"
            )


main()
