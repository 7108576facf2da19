/* Calls and groups: what a thread issues between the start and the end, and what is wrong in it. */
#define _GNU_SOURCE
#include "comm.h"
#include "stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local struct {
    int depth;
    struct launch *first, *last;
    enum result failed;
} group;
static _Atomic long groups;

static const char *const names[] = {"AllReduce", "Reduce", "Broadcast", "ReduceScatter", "AllGather", "AlltoAll", "Gather", "Scatter", "Send",
        "Recv"};

const char *name_of(enum kind kind) { return names[kind]; }

int is_grouped(void) { return group.depth > 0; }

void describe(const struct call *call, char *text, size_t bytes) {
    int length = snprintf(text, bytes, "%s count=%zu type=%d", names[call->kind], call->count, call->type);
    if (call->kind <= REDUCE || call->kind == REDUCE_SCATTER) {
        length += snprintf(text + length, bytes - length, call->op >= FIRST_REDUCTION ? " op=PreMulSum" : " op=%d", call->op);
    }
    if (call->peer >= 0) {
        snprintf(text + length, bytes - length, is_message(call) ? " peer=%d" : " root=%d", call->peer);
    }
}

static struct launch *launch_of(struct comm *comm, void *stream) {
    for (struct launch *each = group.first; each != NULL; each = each->next) {
        if (each->comm == comm) {
            return each;
        }
    }
    struct launch *launch = calloc(1, sizeof(struct launch));
    launch->comm = comm;
    launch->stream = stream;
    if (group.first == NULL) {
        group.first = launch;
    } else {
        group.last->next = launch;
    }
    group.last = launch;
    comm->group_thread = gettid();
    return launch;
}

static enum result add(const char *function, struct comm *comm, void *stream, const struct call *call) {
    struct launch *launch = launch_of(comm, stream);
    if (launch->stream != stream) {
        return fault(USAGE, "%s: a group has two streams for one communicator: rank=%d", function, comm->rank);
    }
    if (launch->count == launch->space) {
        launch->space = launch->space == 0 ? 8 : 2 * launch->space;
        launch->calls = realloc(launch->calls, launch->space * sizeof(struct call));
    }
    launch->calls[launch->count++] = *call;
    return SUCCESS;
}

static enum result check_group(void) {
    for (struct launch *one = group.first; one != NULL; one = one->next) {
        for (int i = 0; i < one->count; i++) {
            for (struct launch *other = one; other != NULL; other = other->next) {
                for (int j = other == one ? i + 1 : 0; j < other->count; j++) {
                    enum result result = check_pair(one, &one->calls[i], other, &other->calls[j]);
                    if (result != SUCCESS) {
                        return result;
                    }
                }
            }
        }
    }
    return SUCCESS;
}

static void note(struct launch *launch, long number) {
    size_t space = 96 * (size_t) launch->count + 1, length = 0;
    char *text = malloc(space);
    text[0] = 0;
    for (int i = 0; i < launch->count; i++) {
        describe(&launch->calls[i], text + length, space - length);
        length += strlen(text + length);
        text[length++] = ';';
        text[length] = 0;
    }
    record(gettid(), number, launch->comm->name, launch->comm->rank, launch->count, text);
}

static void drop(struct launch *launch) {
    launch->comm->group_thread = 0;
    free(launch->calls);
    free(launch);
}

enum result give_to_stream(struct launch *launch) {
    struct comm *comm = launch->comm;
    comm->running++;
    if (enqueue(launch->stream, run_launch, launch) == 0) {
        return SUCCESS;
    }
    comm->running--;
    fail_segment(comm->shared, CUDA_ERROR, "the work could not be given to its stream");
    return failure(CUDA_ERROR, "the work could not be given to its stream: rank=%d", comm->rank);
}

/* Returns in progress if it will be on its stream only when the communicator has been asked. */
static enum result launch_one(struct launch *launch, long number) {
    struct comm *comm = launch->comm;
    if (comm->is_ended) {
        drop(launch);
        return failure(USAGE, "GroupEnd: a communicator was ended meanwhile: rank=%d", comm->rank);
    }
    comm->group_thread = 0;
    note(launch, number);
    if (!comm->is_blocking) {
        comm->task = LAUNCH;
        comm->deferred = launch;
        comm->polls = polls_wanted();
        return IN_PROGRESS;
    }
    if (!BLOCKS_IN_CALLS) {
        return give_to_stream(launch);
    }
    comm->running++;
    unlock_comms();
    run_launch(launch);
    lock_comms();
    return is_over(comm) ? USAGE : comm->shared->failed;
}

/* With the lock. */
static enum result end_group(void) {
    enum result result = group.failed == SUCCESS ? check_group() : group.failed;
    int is_dropped = result != SUCCESS;
    long number = ++groups;
    struct launch *each = group.first;
    group.first = group.last = NULL;
    group.failed = SUCCESS;
    while (each != NULL) {
        struct launch *next = each->next;
        each->next = NULL;
        if (is_dropped) {
            drop(each);
        } else {
            enum result launched = launch_one(each, number);
            result = result == SUCCESS || result == IN_PROGRESS ? (launched == SUCCESS ? result : launched) : result;
        }
        each = next;
    }
    return result;
}

int issue(const char *function, struct comm *comm, void *stream, struct call call) {
    lock_comms();
    int rank = is_comm(comm) ? comm->rank : -1;
    unlock_comms();
    enum result wanted = entered(function, rank), result = wanted == IN_PROGRESS ? SUCCESS : wanted;
    lock_comms();
    if (result == SUCCESS) {
        result = check_call(function, comm, &call);
    }
    if (result == SUCCESS) {
        result = add(function, comm, stream, &call);
    }
    if (result != SUCCESS && group.failed == SUCCESS) {
        group.failed = result;
    }
    if (group.depth == 0) {
        result = end_group();
    }
    unlock_comms();
    return outgoing(result == SUCCESS ? wanted : result);
}

EXPORT int NAME(GroupStart)(void) {
    enum result result = entered("GroupStart", -1);
    group.depth += result == SUCCESS;
    return outgoing(result);
}

EXPORT int NAME(GroupEnd)(void) {
    enum result wanted = entered("GroupEnd", group.first == NULL ? -1 : group.first->comm->rank), result = wanted == IN_PROGRESS ? SUCCESS : wanted;
    if (group.depth == 0) {
        return outgoing(fault(USAGE, "GroupEnd: this thread has begun no group"));
    }
    group.depth--;
    if (result != SUCCESS && group.failed == SUCCESS) {
        group.failed = result;
    }
    if (group.depth == 0) {
        lock_comms();
        result = end_group();
        unlock_comms();
    }
    return outgoing(result == SUCCESS ? wanted : result);
}

/* The thread that calls, by the number that records have. */
EXPORT long double_nccl_thread(void) { return gettid(); }
