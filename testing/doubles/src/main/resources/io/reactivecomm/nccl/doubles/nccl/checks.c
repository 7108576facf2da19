/* What is wrong in a call: checked when it is issued, and more than the real one checks. */
#define _GNU_SOURCE
#include "comm.h"
#include "stream.h"
#include <limits.h>
#include <unistd.h>

size_t bytes_from(const struct comm *comm, const struct call *call) {
    size_t bytes = call->count * width_of(call->type);
    switch (call->kind) {
        case BROADCAST: return comm->rank == call->peer ? bytes : 0;
        case SCATTER: return comm->rank == call->peer ? comm->size * bytes : 0;
        case REDUCE_SCATTER:
        case ALL_TO_ALL: return comm->size * bytes;
        case RECV: return 0;
        default: return bytes;
    }
}

size_t bytes_to(const struct comm *comm, const struct call *call) {
    size_t bytes = call->count * width_of(call->type);
    switch (call->kind) {
        case REDUCE: return comm->rank == call->peer ? bytes : 0;
        case GATHER: return comm->rank == call->peer ? comm->size * bytes : 0;
        case ALL_GATHER:
        case ALL_TO_ALL: return comm->size * bytes;
        case SEND: return 0;
        default: return bytes;
    }
}

static int overlap(const char *one, size_t bytes, const char *other, size_t other_bytes) {
    return bytes > 0 && other_bytes > 0 && one < other + other_bytes && other < one + bytes;
}

/* The one place where the two buffers of a call may meet. */
static int is_in_place(const struct comm *comm, const struct call *call) {
    size_t own = comm->rank * call->count * width_of(call->type);
    switch (call->kind) {
        case ALL_GATHER:
        case GATHER: return call->from == call->to + own;
        case REDUCE_SCATTER:
        case SCATTER: return call->to == call->from + own;
        case ALL_TO_ALL: return 0;
        default: return call->from == call->to;
    }
}

static enum result check_buffers(const char *function, const struct comm *comm, const struct call *call) {
    size_t from = bytes_from(comm, call), to = bytes_to(comm, call);
    if ((from > 0 && call->from == NULL) || (to > 0 && call->to == NULL)) {
        return fault(ARGUMENT, "%s: a null pointer: rank=%d", function, comm->rank);
    }
    if ((from > 0 && !is_known(call->from, from)) || (to > 0 && !is_known(call->to, to))) {
        return fault(ARGUMENT, "%s: not all of a buffer is live memory of one allocation: rank=%d", function, comm->rank);
    }
    if (overlap(call->from, from, call->to, to) && !is_in_place(comm, call)) {
        return fault(ARGUMENT, "%s: the buffers of a call overlap, and not as in place: rank=%d", function, comm->rank);
    }
    return SUCCESS;
}

static enum result check_operation(const char *function, struct comm *comm, struct call *call) {
    if (call->op < 0 || (call->op >= OPS && (call->op < FIRST_REDUCTION || call->op >= FIRST_REDUCTION + MOST_REDUCTIONS))) {
        return fault(ARGUMENT, "%s: no such operation: op=%d, rank=%d", function, call->op, comm->rank);
    }
    if (call->op == O_AVG && !AVERAGES) {
        return fault(ARGUMENT, "%s: there are no averages: rank=%d", function, comm->rank);
    }
    if (call->op >= FIRST_REDUCTION) {
        call->reduction = comm->reductions[call->op - FIRST_REDUCTION];
        if (!call->reduction.is_there || call->reduction.type != call->type) {
            return fault(ARGUMENT, "%s: a reduction that is destroyed, of another communicator or of another type: op=%d, type=%d, rank=%d", function,
                    call->op,
                    call->type, comm->rank);
        }
    }
    return SUCCESS;
}

enum result check_call(const char *function, struct comm *comm, struct call *call) {
    enum result result = usable(comm, function);
    if (result != SUCCESS) {
        return result;
    }
    if (comm->life == REVOKED) {
        return failure(USAGE, "%s: the communicator was revoked: rank=%d", function, comm->rank);
    }
    if (comm->group_thread != 0 && comm->group_thread != gettid()) {
        return fault(USAGE, "%s: another thread has calls of that communicator in an open group: rank=%d", function, comm->rank);
    }
    if (current_device() != comm->device) {
        return fault(CUDA_ERROR, "%s: the thread's context is of device %d, the communicator of %d", function, current_device(), comm->device);
    }
    if ((int) call->type < 0 || call->type >= TYPES) {
        return fault(ARGUMENT, "%s: no such type: type=%d, rank=%d", function, call->type, comm->rank);
    }
    if (call->count > SSIZE_MAX / 8 / MOST_RANKS) {
        return fault(ARGUMENT, "%s: no such count: count=%zu, rank=%d", function, call->count, comm->rank);
    }
    int has_peer = call->kind != ALL_REDUCE && call->kind != REDUCE_SCATTER && call->kind != ALL_GATHER && call->kind != ALL_TO_ALL;
    if (has_peer && (call->peer < 0 || call->peer >= comm->size)) {
        return fault(ARGUMENT, "%s: no such root or peer: rank=%d, peer=%d, size=%d", function, comm->rank, call->peer, comm->size);
    }
    result = check_operation(function, comm, call);
    return result == SUCCESS ? check_buffers(function, comm, call) : result;
}

enum result check_pair(const struct launch *one, const struct call *call, const struct launch *other, const struct call *later) {
    size_t from = bytes_from(one->comm, call), to = bytes_to(one->comm, call);
    size_t later_from = bytes_from(other->comm, later), later_to = bytes_to(other->comm, later);
    int writes = overlap(call->to, to, later->to, later_to) || overlap(call->to, to, later->from, later_from);
    if (!writes && !overlap(call->from, from, later->to, later_to)) {
        return SUCCESS;
    }
    return fault(USAGE, "calls of one group write where others read or write: %s and %s, rank=%d", name_of(call->kind), name_of(later->kind),
            one->comm->rank);
}
