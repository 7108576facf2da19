"""Times one collective of torch.distributed over Gloo, or a list of all-reduces, on float32, for `rcomm perf --peers`.

    peer_bench.py RANKS STORE OP BATCHES BATCH_SECONDS WARM_UP_SECONDS SIZES    sizes in bytes, as nccl-tests counts them
    peer_bench.py RANKS STORE list BATCHES BATCH_SECONDS WARM_UP_SECONDS @FILE  an element count on each line
    peer_bench.py --join OP SIZES [BATCHES [BATCH_SECONDS]]    one rank of a job, for `rcomm hosts` and the like

STORE is a file, not there yet, through which the ranks meet. Rank 0 prints `result WAY BYTES MICROS,MICROS,...` for each
measurement, with the mean time of a round in each batch. The way is `call`, or for lists `in-flight` and `in-turn`.

With --join the rank finds its place in RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, and rank 0 prints a line for people.
"""

import ctypes
import os
import signal
import statistics
import sys
import time

FIRST_ROUNDS = 3
MOST_ROUNDS = 20000
WARM_UPS = 2
JOINED_BATCHES = 7
JOINED_BATCH_SECONDS = 0.5


def become_rank(ranks):
    """Forks the other ranks before torch is there, for torch starts threads. They end with the first one, however it ends."""
    parent = os.getpid()
    for rank in range(1, ranks):
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            return rank
    return 0


def print_for_rcomm(way, size, micros, rounds):
    print("result", way, size, ",".join("%.4f" % m for m in micros), flush=True)


class Bench:
    def __init__(self, ranks, rank, batches, batch_seconds, show=print_for_rcomm):
        self.ranks, self.rank = ranks, rank
        self.batches, self.batch_seconds = batches, batch_seconds
        self.show = show

    def seconds_of(self, call, rounds):
        dist.barrier()
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        return time.perf_counter() - start

    def rounds_in_batch(self, seconds_of_one):
        """Rank 0 decides, so that all ranks make the same calls."""
        rounds = torch.tensor([max(1, min(MOST_ROUNDS, int(self.batch_seconds / max(seconds_of_one, 1e-9))))])
        dist.broadcast(rounds, 0)
        return int(rounds)

    def measure(self, way, size, call):
        one = self.seconds_of(call, FIRST_ROUNDS) / FIRST_ROUNDS
        for _ in range(WARM_UPS):
            rounds = self.rounds_in_batch(one)
            one = self.seconds_of(call, rounds) / rounds
        rounds = self.rounds_in_batch(one)
        micros = [self.seconds_of(call, rounds) / rounds * 1e6 for _ in range(self.batches)]
        if self.rank == 0:
            self.show(way, size, micros, rounds)

    def call_of(self, op, elements):
        """Returns one round of an operation, on tensors of its own."""
        ranks, rank = self.ranks, self.rank
        part = elements // ranks
        whole, other = torch.ones(elements), torch.ones(elements)
        own = torch.ones(part)
        parts = list(whole[: part * ranks].view(ranks, part).unbind(0)) if part else []
        at_root = parts if rank == 0 else None

        def send_receive():
            works = [dist.isend(whole, (rank + 1) % ranks), dist.irecv(other, (rank - 1) % ranks)]
            for work in works:
                work.wait()

        calls = {
            "all-reduce": lambda: dist.all_reduce(whole),
            "reduce": lambda: dist.reduce(whole, 0),
            "broadcast": lambda: dist.broadcast(whole, 0),
            "all-gather": lambda: dist.all_gather(parts, own),
            "reduce-scatter": lambda: dist.reduce_scatter(own, parts),
            "all-to-all": lambda: dist.all_to_all_single(other, whole),
            "gather": lambda: dist.gather(own, at_root, 0),
            "scatter": lambda: dist.scatter(own, at_root, 0),
            "send-receive": send_receive,
            "barrier": lambda: dist.barrier(),
        }
        return calls[op]

    def measure_list(self, counts):
        tensors = [torch.ones(count) for count in counts]

        def in_flight():
            for work in [dist.all_reduce(tensor, async_op=True) for tensor in tensors]:
                work.wait()

        def in_turn():
            for tensor in tensors:
                dist.all_reduce(tensor)

        size = 4 * sum(counts)
        self.measure("in-flight", size, in_flight)
        self.measure("in-turn", size, in_turn)


def join(op, sizes, batches=JOINED_BATCHES, batch_seconds=JOINED_BATCH_SECONDS):
    """Measures as a rank that somebody else has started."""
    global torch, dist
    try:
        import torch
        import torch.distributed as dist
    except ImportError as error:
        sys.exit("torch with Gloo is missing: python=%s, reason=%s; install it (Debian: python3-torch, python3-numpy)" % (sys.executable, error))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="env://")

    def show(way, size, micros, rounds):
        print(
            "gloo %s, torch %s, %d ranks, %d bytes: %.2f us, the median of %d batches of %d (%.2f to %.2f)"
            % (op, torch.__version__, bench.ranks, size, statistics.median(micros), len(micros), rounds, min(micros), max(micros)),
            flush=True,
        )

    bench = Bench(dist.get_world_size(), dist.get_rank(), int(batches), float(batch_seconds), show)
    for size in sizes.split(","):
        bench.measure("call", int(size), bench.call_of(op, int(size) // 4))
    # Rank 0 has the store, without which the others could not end.
    dist.barrier()
    os._exit(0)


def main(arguments):
    if arguments[0] == "--join":
        join(*arguments[1:])
    ranks, store, op, batches, batch_seconds, _, what = arguments
    ranks = int(ranks)
    rank = become_rank(ranks)
    global torch, dist
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=ranks)
    bench = Bench(ranks, rank, int(batches), float(batch_seconds))
    try:
        if op == "list":
            with open(what[1:]) as lines:
                bench.measure_list([int(line) for line in lines if line.strip()])
        else:
            for size in what.split(","):
                bench.measure("call", int(size), bench.call_of(op, int(size) // 4))
    except RuntimeError as error:
        if "support" not in str(error):
            raise
        if rank == 0:
            print("unsupported", str(error).splitlines()[0], flush=True)
    if rank == 0:
        for _ in range(1, ranks):
            os.wait()
    os._exit(0)


main(sys.argv[1:])
