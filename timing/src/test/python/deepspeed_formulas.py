"""DeepSpeed's formulas for its log of calls, for a comparison with CommsLogger.

Input: a line for each call, `operation bytes ranks nanos`; output: for each operation and size in order a line
`operation bytes count latency_nanos algbw busbw`. Latency and bandwidths are means without a tenth at each end,
bandwidths in 10**9 bytes a second (DeepSpeed prints ten to the nine bits).
"""

import sys


def bandwidths(operation, size, ranks, nanos):
    """Returns algbw and busbw of one call, whose size is that of the tensor that DeepSpeed logs."""
    others = (ranks - 1) / ranks
    if operation == "all_to_all_single":
        return size / nanos, size / nanos * others
    if operation in ("all_gather_into_tensor", "reduce_scatter_tensor"):
        whole = size * ranks
        return whole / nanos, whole / nanos * others
    if operation == "all_reduce":
        return 2 * size / nanos, size / nanos * 2 * others
    return size / nanos, size / nanos


def trimmed_mean(values):
    """Returns the mean without a tenth of the values at each end."""
    cut = round(len(values) * 0.1)
    kept = sorted(values)[cut : len(values) - cut]
    return sum(kept) / len(kept)


def main():
    calls = {}
    for line in sys.stdin:
        operation, size, ranks, nanos = line.split()
        algbw, busbw = bandwidths(operation, int(size), int(ranks), int(nanos))
        values = calls.setdefault((operation, int(size)), ([], [], []))
        for kept, value in zip(values, (int(nanos), algbw, busbw)):
            kept.append(value)
    for (operation, size), (nanos, algbws, busbws) in sorted(calls.items()):
        print(operation, size, len(nanos), trimmed_mean(nanos), trimmed_mean(algbws), trimmed_mean(busbws))


main()
