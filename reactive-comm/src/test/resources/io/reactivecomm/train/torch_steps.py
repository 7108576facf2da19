"""Steps of torch for TorchComparisonTest, which computes the same from the same formulas and compares what this prints."""

import math
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

WIDTH = 5
BATCH = 4


def sample(rank, batch, row):
    return [math.sin(1 + 7 * rank + 3 * batch + 2 * row + i) for i in range(WIDTH + 1)]


def clip(limit):
    parameters = []
    for layer in range(3):
        parameter = torch.nn.Parameter(torch.zeros(7 + layer))
        parameter.grad = torch.tensor([math.sin(layer + i) for i in range(7 + layer)])
        parameters.append(parameter)
    torch.nn.utils.clip_grad_norm_(parameters, limit)
    for parameter in parameters:
        print("clipped", *parameter.grad.tolist())


def train(rank, counts, store, by_world, queue):
    dist.init_process_group("gloo", "file://" + store, rank=rank, world_size=len(counts))
    model = torch.nn.Linear(WIDTH, 1, bias=False).double()
    with torch.no_grad():
        model.weight.zero_()
    replica = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(replica.parameters(), lr=0.05)
    losses = []
    with Join([replica], divide_by_initial_world_size=by_world):
        for batch in range(counts[rank]):
            rows = torch.tensor([sample(rank, batch, row) for row in range(BATCH)], dtype=torch.float64)
            optimizer.zero_grad()
            loss = ((replica(rows[:, :WIDTH]).squeeze(1) - rows[:, WIDTH]) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    queue.put((rank, losses))
    dist.destroy_process_group()


def join(by_world, counts):
    store = os.path.join(tempfile.mkdtemp(), "store")
    context = mp.get_context("spawn")
    queue = context.Queue()
    ranks = [context.Process(target=train, args=(rank, counts, store, by_world, queue)) for rank in range(len(counts))]
    for rank in ranks:
        rank.start()
    for rank, losses in sorted(queue.get(timeout=120) for _ in ranks):
        print("losses", *losses)
    for rank in ranks:
        rank.join()


if __name__ == "__main__":
    if sys.argv[1] == "clip":
        clip(float(sys.argv[2]))
    else:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        join(sys.argv[2] == "world", [int(each) for each in sys.argv[3:]])
