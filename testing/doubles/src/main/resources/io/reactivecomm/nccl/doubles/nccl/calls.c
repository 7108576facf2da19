/* The collectives, messages and reductions of the library. */
#include "comm.h"
#include "stream.h"
#include <string.h>

#define CALL(...) ((struct call) {__VA_ARGS__})
#define NOBODY -1

EXPORT int NAME(AllReduce)(const void *from, void *to, size_t count, int type, int op, struct comm *comm, void *stream) {
    return issue("AllReduce", comm, stream, CALL(.kind = ALL_REDUCE, .from = from, .to = to, .count = count, .type = type, .op = op, .peer = NOBODY));
}

EXPORT int NAME(Reduce)(const void *from, void *to, size_t count, int type, int op, int root, struct comm *comm, void *stream) {
    return issue("Reduce", comm, stream, CALL(.kind = REDUCE, .from = from, .to = to, .count = count, .type = type, .op = op, .peer = root));
}

EXPORT int NAME(Broadcast)(const void *from, void *to, size_t count, int type, int root, struct comm *comm, void *stream) {
    return issue("Broadcast", comm, stream, CALL(.kind = BROADCAST, .from = from, .to = to, .count = count, .type = type, .peer = root));
}

EXPORT int NAME(ReduceScatter)(const void *from, void *to, size_t count, int type, int op, struct comm *comm, void *stream) {
    return issue("ReduceScatter", comm, stream, CALL(.kind = REDUCE_SCATTER, .from = from, .to = to, .count = count, .type = type, .op = op,
            .peer = NOBODY));
}

EXPORT int NAME(AllGather)(const void *from, void *to, size_t count, int type, struct comm *comm, void *stream) {
    return issue("AllGather", comm, stream, CALL(.kind = ALL_GATHER, .from = from, .to = to, .count = count, .type = type, .peer = NOBODY));
}

EXPORT int NAME(Send)(const void *from, size_t count, int type, int peer, struct comm *comm, void *stream) {
    return issue("Send", comm, stream, CALL(.kind = SEND, .from = from, .count = count, .type = type, .peer = peer));
}

EXPORT int NAME(Recv)(void *to, size_t count, int type, int peer, struct comm *comm, void *stream) {
    return issue("Recv", comm, stream, CALL(.kind = RECV, .to = to, .count = count, .type = type, .peer = peer));
}

static int all_to_all(const void *from, void *to, size_t count, int type, struct comm *comm, void *stream) {
    return issue("AlltoAll", comm, stream, CALL(.kind = ALL_TO_ALL, .from = from, .to = to, .count = count, .type = type, .peer = NOBODY));
}

/* NCCL's spelling, and that of oneCCL and older RCCL: a library has one of them. */
WEAK int NAME(AlltoAll)(const void *from, void *to, size_t count, int type, struct comm *comm, void *stream) {
    return all_to_all(from, to, count, type, comm, stream);
}

WEAK int NAME(AllToAll)(const void *from, void *to, size_t count, int type, struct comm *comm, void *stream) {
    return all_to_all(from, to, count, type, comm, stream);
}

WEAK int NAME(Gather)(const void *from, void *to, size_t count, int type, int root, struct comm *comm, void *stream) {
    return issue("Gather", comm, stream, CALL(.kind = GATHER, .from = from, .to = to, .count = count, .type = type, .peer = root));
}

WEAK int NAME(Scatter)(const void *from, void *to, size_t count, int type, int root, struct comm *comm, void *stream) {
    return issue("Scatter", comm, stream, CALL(.kind = SCATTER, .from = from, .to = to, .count = count, .type = type, .peer = root));
}

static enum result new_reduction(int *op, const void *scalar, int type, int residence, struct comm *comm) {
    if (op == NULL || scalar == NULL || type < 0 || type >= TYPES || residence < 0 || residence > 1) {
        return fault(ARGUMENT, "RedOpCreatePreMulSum: type=%d, residence=%d, or a null pointer: rank=%d", type, residence, comm->rank);
    }
    if (residence == 0 && mapped(scalar, width_of(type)) == NULL) {
        return fault(ARGUMENT, "RedOpCreatePreMulSum: the factor is not in device memory: rank=%d", comm->rank);
    }
    for (int i = 0; i < MOST_REDUCTIONS; i++) {
        struct reduction *each = &comm->reductions[i];
        if (!each->is_there) {
            *each = (struct reduction) {.is_there = 1, .type = type, .at = residence == 0 ? scalar : NULL};
            if (residence == 1) {
                memcpy(each->factor, scalar, width_of(type));
            }
            *op = FIRST_REDUCTION + i;
            return SUCCESS;
        }
    }
    return fault(INTERNAL_ERROR, "RedOpCreatePreMulSum: reductions are not destroyed: rank=%d", comm->rank);
}

static int with(struct comm *comm, const char *function) {
    lock_comms();
    int rank = is_comm(comm) ? comm->rank : -1;
    unlock_comms();
    enum result result = entered(function, rank);
    lock_comms();
    return result == SUCCESS ? usable(comm, function) : result;
}

WEAK int NAME(RedOpCreatePreMulSum)(int *op, void *scalar, int type, int residence, struct comm *comm) {
    enum result result = with(comm, "RedOpCreatePreMulSum");
    if (result == SUCCESS) {
        result = new_reduction(op, scalar, type, residence, comm);
    }
    unlock_comms();
    return outgoing(result);
}

WEAK int NAME(RedOpDestroy)(int op, struct comm *comm) {
    enum result result = with(comm, "RedOpDestroy");
    int index = op - FIRST_REDUCTION;
    if (result == SUCCESS && (index < 0 || index >= MOST_REDUCTIONS || !comm->reductions[index].is_there)) {
        result = fault(ARGUMENT, "RedOpDestroy: no such reduction: op=%d, rank=%d", op, comm->rank);
    }
    if (result == SUCCESS) {
        comm->reductions[index].is_there = 0;
    }
    unlock_comms();
    return outgoing(result);
}
