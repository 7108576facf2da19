"""Writes what torch.distributed says of this rank's place, then becomes a program in the same environment.

    places.py FILES PROGRAM ARGUMENTS...    the file is FILES followed by the rank
"""

import os
import sys

import torch.distributed as dist

files, *program = sys.argv[1:]
# torch 1.13 has it under another name.
group_rank = getattr(dist, "get_group_rank", None) or dist.distributed_c10d._get_group_rank


def rank_in(group, global_rank):
    try:
        return group_rank(group, global_rank)
    except (RuntimeError, ValueError):
        return -1


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
local_rank = dist.get_node_local_rank() if hasattr(dist, "get_node_local_rank") else int(os.environ["LOCAL_RANK"])
local_size, host_rank, host_count = (int(os.environ[name]) for name in ("LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE"))
pair = dist.new_group([0, 2])
lines = ["world %d of %d" % (rank, size), "host %d of %d, %d of %d" % (local_rank, local_size, host_rank, host_count)]
lines.append("pair %d" % dist.get_rank(pair))
if rank in (0, 2):
    lines.append("ranks of the pair %s" % [rank_in(pair, each) for each in range(-1, size + 1)])
lines.append("ranks of the world %s" % [rank_in(dist.group.WORLD, each) for each in range(size)])
with open(files + str(rank), "w") as file:
    file.write("\n".join(lines))
dist.barrier()
dist.destroy_process_group()
os.execv(program[0], program)
