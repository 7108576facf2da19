"""The codecs' arithmetic in NumPy, as one writes it there: times for CodecBenchmark to stand beside.

    python3 codecs.py [bytes ...]        by default 1048576 and 67108864 bytes of float32, in two parts

One thread (NumPy's element-wise loops have no more). Temporaries are written into memory that was allocated before wherever NumPy has an `out`.
Prints the least of several processor times, in microseconds, and memcpy's.
"""

import sys
import time

import numpy as np

PARTS = 2


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
        self.signs = np.empty(count, np.float32)

    def encode_with_error(self, x, e, after):
        np.add(x, e, out=self.b)
        scale = np.float32(np.sqrt(np.sum(np.square(self.b, dtype=np.float64))) / np.sqrt(x.size))
        positive = np.logical_not(np.less(self.b, 0))
        bits = np.packbits(positive)
        np.multiply(np.where(positive, np.float32(1), np.float32(-1)), scale, out=self.signs)
        np.subtract(self.b, self.signs, out=after)
        return scale, bits

    def decode_and_add(self, encoded, weight, total):
        scale, bits = encoded
        signs = np.unpackbits(bits, count=total.size).astype(np.float32)
        signs *= 2
        signs -= 1
        signs *= np.float32(scale * np.float32(weight))
        total += signs


class Blocks:
    def __init__(self, count, levels, block):
        self.levels, self.block = levels, block
        self.b = np.empty(count, np.float32)

    def quantised(self, b):
        rows = b.reshape(-1, self.block)
        largest = np.max(np.abs(rows), axis=1)
        q = rows * (np.float32(self.levels) / largest)[:, None]
        np.rint(q, out=q)
        np.clip(q, -self.levels, self.levels - 1, out=q)
        return largest, q.astype(np.int8)

    def packed(self, q):
        if self.levels == 128:
            return q
        half = self.block // 2
        return (q[:, :half] & 15) | (q[:, half:] << 4)

    def numbers(self, largest, packed):
        if self.levels == 128:
            q = packed
        else:
            lower = (packed << 4) >> 4
            q = np.concatenate([lower, packed >> 4], axis=1)
        numbers = q.astype(np.float32)
        numbers *= np.float32(1 / self.levels)
        numbers *= largest[:, None]
        return numbers.reshape(-1)

    def encode_with_error(self, x, e, after):
        np.add(x, e, out=self.b)
        largest, q = self.quantised(self.b)
        packed = self.packed(q)
        np.subtract(self.b, self.numbers(largest, packed), out=after)
        return largest, packed

    def encode(self, x):
        largest, q = self.quantised(x)
        return largest, self.packed(q)

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
        for name, codec in (("one-bit", OneBit(count)), ("int8", Blocks(count, 128, 2048)), ("int4", Blocks(count, 8, 256))):
            encoded = codec.encode_with_error(x, e, after)
            row = f"  {name:8} encodeWithError {least(lambda: codec.encode_with_error(x, e, after)):.0f} us"
            if isinstance(codec, Blocks):
                row += f", encode {least(lambda: codec.encode(x)):.0f} us"
            print(row + f", decodeAndAdd {least(lambda: codec.decode_and_add(encoded, 0.5, total)):.0f} us")


main()
