/* The work of one communicator's part of a group, on its stream. Data goes through memory that all ranks share, in pieces. */
#define _GNU_SOURCE
#include "comm.h"
#include "stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int is_message(const struct call *call) { return call->kind == SEND || call->kind == RECV; }

int wait_for_others(struct comm *comm, uint32_t reading, long *since) {
    if (comm->is_ended || (BLOCKS_IN_CALLS && comm->shared->failed != SUCCESS)) {
        return -1;
    }
    await_ring(comm->shared, reading);
    if (is_too_long(since) && comm->shared->failed == SUCCESS) {
        fault(TIMEOUT, "work waits for other ranks: rank=%d, size=%d, communicator=%llx", comm->rank, comm->size, (unsigned long long) comm->name);
        fail_segment(comm->shared, TIMEOUT, "work waits for other ranks");
    }
    return 0;
}

/* Waits until all ranks have made that step. As in the real one, a failure lets nobody go: an end of the communicator does. */
static int meet(struct comm *comm) {
    uint32_t step = ++comm->steps;
    long since = 0;
    comm->shared->ranks[comm->rank].step = step;
    ring(comm->shared);
    for (;;) {
        uint32_t reading = comm->shared->bell;
        int behind = 0;
        for (int i = 0; i < comm->size; i++) {
            behind += (int32_t) (comm->shared->ranks[i].step - step) < 0;
        }
        if (behind == 0) {
            return comm->is_ended ? -1 : 0;
        }
        if (wait_for_others(comm, reading, &since) != 0) {
            return -1;
        }
    }
}

/* A failure is on all ranks; what is under way stays so until the communicator ends. */
int stay(struct comm *comm) {
    while (!comm->is_ended && !BLOCKS_IN_CALLS) {
        await_ring(comm->shared, comm->shared->bell);
    }
    return -1;
}

static int differ(struct comm *comm, int other, const char *own, const char *others) {
    char text[3 * TEXT];
    snprintf(text, sizeof(text), "ranks cut a group differently: rank=%d has %.900s, rank=%d has %.900s", comm->rank, own, other, others);
    fault(USAGE, "%.2000s", text);
    fail_segment(comm->shared, USAGE, text);
    return stay(comm);
}

/* All ranks have the same collectives in the same order. */
static int compare(struct launch *launch) {
    struct comm *comm = launch->comm;
    int parity = (comm->steps + 1) & 1;
    struct signature *own = &comm->shared->ranks[comm->rank].signatures[parity];
    size_t length = 0;
    own->hash = HASH_START;
    own->text[0] = 0;
    for (int i = 0; i < launch->count; i++) {
        char text[256];
        if (!is_message(&launch->calls[i])) {
            describe(&launch->calls[i], text, sizeof(text));
            own->hash = hash_of(own->hash, text, strlen(text) + 1);
            length += length < TEXT ? (size_t) snprintf(own->text + length, TEXT - length, "%s;", text) : 0;
        }
    }
    if (own->hash == HASH_START) {
        return 0;
    }
    if (meet(comm) != 0) {
        return -1;
    }
    for (int i = 0; i < comm->size; i++) {
        struct signature *each = &comm->shared->ranks[i].signatures[parity];
        if (each->hash != own->hash) {
            return differ(comm, i, own->text, each->text);
        }
    }
    return 0;
}

/* The bytes that this rank gives for a block; null if it gives none. */
static const char *given(const struct comm *comm, const struct call *call, const char *from, int block, size_t bytes) {
    switch (call->kind) {
        case BROADCAST: return comm->rank == call->peer ? from : NULL;
        case SCATTER: return comm->rank == call->peer ? from + block * bytes : NULL;
        case REDUCE_SCATTER: return from + block * bytes;
        case ALL_TO_ALL: return from + (comm->rank + block) % comm->size * bytes;
        default: return from;
    }
}

static void take_from(struct comm *comm, int rank, int parity, char *to, size_t count) {
    memcpy(to, comm->shared->ranks[rank].staging[parity], count);
}

static void fold_piece(struct comm *comm, const struct call *call, int parity, char *to, size_t count) {
    const char *parts[MOST_RANKS];
    for (int i = 0; i < comm->size; i++) {
        parts[i] = comm->shared->ranks[i].staging[parity];
    }
    fold(call->op >= FIRST_REDUCTION ? O_SUM : (enum op) call->op, call->type, to, parts, comm->size, count / width_of(call->type));
}

static void taken(struct comm *comm, const struct call *call, char *to, int block, size_t bytes, size_t at, size_t count, int parity) {
    int from = (comm->rank + comm->size - block) % comm->size;
    switch (call->kind) {
        case REDUCE:
        case GATHER:
            if (comm->rank != call->peer) {
                return;
            }
            break;
        case REDUCE_SCATTER:
        case SCATTER:
            if (comm->rank != block) {
                return;
            }
            break;
        default:
            break;
    }
    switch (call->kind) {
        case ALL_REDUCE:
        case REDUCE:
        case REDUCE_SCATTER: fold_piece(comm, call, parity, to + at, count); break;
        case BROADCAST:
        case SCATTER: take_from(comm, call->peer, parity, to + at, count); break;
        case ALL_TO_ALL: take_from(comm, from, parity, to + from * bytes + at, count); break;
        default:
            for (int i = 0; i < comm->size; i++) {
                take_from(comm, i, parity, to + i * bytes + at, count);
            }
    }
}

static int lost(struct comm *comm, const struct call *call) {
    char text[256];
    describe(call, text, sizeof(text));
    fault(CUDA_ERROR, "memory was freed before the work with it ended: rank=%d, call=%s", comm->rank, text);
    fail_segment(comm->shared, CUDA_ERROR, "memory was freed before the work with it ended");
    return stay(comm);
}

static int run_collective(struct comm *comm, const struct call *call) {
    size_t bytes = call->count * width_of(call->type), of_from = bytes_from(comm, call), of_to = bytes_to(comm, call);
    int is_blocked = call->kind == REDUCE_SCATTER || call->kind == ALL_TO_ALL || call->kind == SCATTER;
    const char *from = of_from == 0 ? NULL : mapped(call->from, of_from), *factor = call->reduction.factor;
    char *to = of_to == 0 ? NULL : mapped(call->to, of_to);
    if (call->reduction.at != NULL) {
        factor = mapped(call->reduction.at, width_of(call->type));
    }
    if ((of_from > 0 && from == NULL) || (of_to > 0 && to == NULL) || factor == NULL) {
        return lost(comm, call);
    }
    for (int block = 0; block < (is_blocked ? comm->size : 1); block++) {
        for (size_t at = 0; at < bytes; at += PIECE) {
            size_t count = bytes - at < PIECE ? bytes - at : PIECE;
            int parity = (comm->steps + 1) & 1;
            char *staging = comm->shared->ranks[comm->rank].staging[parity];
            const char *own = given(comm, call, from, block, bytes);
            if (own != NULL) {
                memcpy(staging, own + at, count);
            }
            if (call->op >= FIRST_REDUCTION) {
                scale(call->type, staging, factor, count / width_of(call->type));
            }
            if (meet(comm) != 0) {
                return -1;
            }
            taken(comm, call, to, block, bytes, at, count, parity);
        }
    }
    return 0;
}

static void pause_while_held(struct comm *comm, int at_end) {
    while (is_held(comm->rank, at_end) && (at_end || !comm->is_ended)) {
        nanosleep(&(struct timespec) {0, 200000}, NULL);
    }
    for (int micros = at_end ? 0 : delay_of(comm->rank); micros > 0 && !comm->is_ended; micros -= 500) {
        nanosleep(&(struct timespec) {0, 1000L * (micros < 500 ? micros : 500)}, NULL);
    }
}

static void run_calls(struct launch *launch) {
    struct comm *comm = launch->comm;
    enum result planned = planned_failure(comm->rank);
    if (planned != SUCCESS) {
        fail_segment(comm->shared, planned, "work was told to fail");
        stay(comm);
        return;
    }
    if (compare(launch) != 0) {
        return;
    }
    for (int i = 0; i < launch->count; i++) {
        if (!is_message(&launch->calls[i]) && run_collective(comm, &launch->calls[i]) != 0) {
            return;
        }
    }
    run_messages(launch);
}

void run_launch(void *argument) {
    struct launch *launch = argument;
    struct comm *comm = launch->comm;
    pause_while_held(comm, 0);
    if (!comm->is_ended) {
        run_calls(launch);
    }
    pause_while_held(comm, 1);
    free(launch->calls);
    free(launch);
    let_go(comm);
}
