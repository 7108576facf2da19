/* The state and the end of communicators, and memory. */
#include "comm.h"
#include "stream.h"
#include <stdlib.h>

/* With the lock. */
static enum result enter(const char *function, struct comm *comm, int may_be_finalized) {
    lock_comms();
    int rank = is_comm(comm) ? comm->rank : -1;
    unlock_comms();
    enum result result = entered(function, rank);
    lock_comms();
    if (result != SUCCESS) {
        return result;
    }
    if (!is_comm(comm) || is_over(comm) || (comm->life == FINALIZED && !may_be_finalized)) {
        return fault(ARGUMENT, "%s: no such communicator, or it has ended: rank=%d", function, rank);
    }
    return SUCCESS;
}

static int leave(enum result result) {
    unlock_comms();
    return outgoing(result);
}

static int answer(const char *function, struct comm *comm, int *place, int which) {
    enum result result = enter(function, comm, 1);
    if (result == SUCCESS && place == NULL) {
        result = fault(ARGUMENT, "%s: a null pointer", function);
    }
    if (result == SUCCESS && which != 2 && comm->task != NOTHING) {
        result = fault(ARGUMENT, "%s: the communicator is in progress, and has not been asked since: rank=%d", function, comm->rank);
    }
    if (result == SUCCESS) {
        *place = which == 0 ? comm->size : which == 1 ? comm->rank : outgoing(progress(comm));
    }
    return leave(result);
}

EXPORT int NAME(CommCount)(struct comm *comm, int *size) { return answer("CommCount", comm, size, 0); }

EXPORT int NAME(CommUserRank)(struct comm *comm, int *rank) { return answer("CommUserRank", comm, rank, 1); }

WEAK int NAME(CommGetAsyncError)(struct comm *comm, int *state) { return answer("CommGetAsyncError", comm, state, 2); }

static void drop_task(struct comm *comm) {
    if (comm->task == JOIN) {
        unlink_segment(comm->name);
    }
    if (comm->task == LAUNCH) {
        free(comm->deferred->calls);
        free(comm->deferred);
    }
}

static void abort_comm(struct comm *comm) {
    if (comm->task == CHILD && !is_over(comm->child)) {
        abort_comm(comm->child);
    }
    drop_task(comm);
    if (comm->task != CHILD) {
        comm->task = NOTHING;
    }
    comm->life = ABORTED;
    comm->shared->ranks[comm->rank].gone = 1;
    end_work(comm);
    free_if_idle(comm);
}

/* Lets this rank's work go at once; other ranks see a remote error. */
WEAK int NAME(CommAbort)(struct comm *comm) {
    enum result result = enter("CommAbort", comm, 1);
    if (result == SUCCESS) {
        abort_comm(comm);
    }
    return leave(result);
}

WEAK int NAME(CommRevoke)(struct comm *comm, int flags) {
    enum result result = enter("CommRevoke", comm, 0);
    if (result == SUCCESS && flags != 0) {
        result = fault(ARGUMENT, "CommRevoke: flags=%d", flags);
    }
    if (result == SUCCESS) {
        drop_task(comm);
        comm->task = NOTHING;
        comm->life = REVOKED;
        end_work(comm);
    }
    return leave(result);
}

WEAK int NAME(CommFinalize)(struct comm *comm) {
    enum result result = enter("CommFinalize", comm, 0);
    result = result == SUCCESS ? usable(comm, "CommFinalize") : result;
    if (result == SUCCESS) {
        comm->life = FINALIZED;
    }
    int waits = result == SUCCESS && comm->is_blocking;
    int is_later = result == SUCCESS && !comm->is_blocking;
    unlock_comms();
    if (waits) {
        await_idle(comm);
    }
    return outgoing(is_later ? IN_PROGRESS : result);
}

EXPORT int NAME(CommDestroy)(struct comm *comm) {
    enum result result = enter("CommDestroy", comm, 1);
    if (result == SUCCESS && comm->task != NOTHING && comm->shared->failed == SUCCESS) {
        result = fault(USAGE, "CommDestroy: the communicator is in progress: rank=%d", comm->rank);
    }
    if (result != SUCCESS) {
        return leave(result);
    }
    if (comm->shared->failed != SUCCESS) {
        drop_task(comm);
        end_work(comm);
    }
    unlock_comms();
    await_idle(comm);
    lock_comms();
    comm->life = DESTROYED;
    comm->is_ended = 1;
    free_if_idle(comm);
    return leave(SUCCESS);
}

/* The communicator of that name and rank, whoever loaded this library has made: its state becomes this on all ranks. Returns whether there is one. */
EXPORT int double_nccl_fail(long name, int rank, int state) {
    lock_comms();
    struct comm *found = NULL;
    for (struct comm *each = first_comm(); each != NULL && found == NULL; each = each->next) {
        found = (long) each->name == name && each->rank == rank && !is_over(each) ? each : NULL;
    }
    if (found != NULL) {
        fail_segment(found->shared, (enum result) state, "a test wants it so");
    }
    unlock_comms();
    return found != NULL;
}

/* The name of a communicator, by which records and failures go; the same on all ranks. */
EXPORT long double_nccl_name(const struct comm *comm) { return (long) comm->name; }

/* Communicators that have not ended. */
EXPORT int double_nccl_comms(void) {
    lock_comms();
    int count = 0;
    for (struct comm *each = first_comm(); each != NULL; each = each->next) {
        count += !is_over(each);
    }
    unlock_comms();
    return count;
}

struct registration {
    struct comm *comm;
    const void *address;
    struct registration *next;
};

static struct registration *registrations;

WEAK int NAME(CommRegister)(struct comm *comm, void *address, size_t bytes, struct registration **place) {
    enum result result = enter("CommRegister", comm, 0);
    if (result == SUCCESS && (place == NULL || address == NULL || bytes == 0 || mapped(address, bytes) == NULL)) {
        result = fault(ARGUMENT, "CommRegister: a null pointer, or not all of it is live memory: bytes=%zu", bytes);
    }
    if (result == SUCCESS) {
        struct registration *made = calloc(1, sizeof(struct registration));
        *made = (struct registration) {comm, address, registrations};
        *place = registrations = made;
    }
    return leave(result);
}

WEAK int NAME(CommDeregister)(struct comm *comm, struct registration *handle) {
    enum result result = enter("CommDeregister", comm, 1);
    struct registration **each = &registrations;
    while (result == SUCCESS && *each != NULL && (*each != handle || (*each)->comm != comm)) {
        each = &(*each)->next;
    }
    if (result == SUCCESS && *each == NULL) {
        result = fault(ARGUMENT, "CommDeregister: no such registration: rank=%d", comm->rank);
    }
    if (result == SUCCESS) {
        *each = handle->next;
        free(handle);
    }
    return leave(result);
}

WEAK int NAME(MemAlloc)(void **place, size_t bytes) {
    enum result result = entered("MemAlloc", -1);
    if (result == SUCCESS && place == NULL) {
        result = fault(ARGUMENT, "MemAlloc: a null pointer");
    }
    if (result == SUCCESS) {
        *place = device_alloc(bytes);
        result = *place == NULL ? failure(CUDA_ERROR, "MemAlloc: no device memory: bytes=%zu", bytes) : SUCCESS;
    }
    return outgoing(result);
}

WEAK int NAME(MemFree)(void *address) {
    enum result result = entered("MemFree", -1);
    lock_comms();
    for (struct registration *each = registrations; result == SUCCESS && each != NULL; each = each->next) {
        /* A communicator that has ended has forgotten its own. */
        if (each->address == address && !is_over(each->comm)) {
            result = fault(USAGE, "MemFree: the memory is registered");
        }
    }
    unlock_comms();
    return outgoing(result == SUCCESS && device_free(address) != 0 ? fault(ARGUMENT, "MemFree: no such memory") : result);
}

#ifdef DIALECT_ONECCL
EXPORT int NAME(SetDevice)(uint32_t device) {
    enum result result = entered("SetDevice", -1);
    return outgoing(result == SUCCESS && device > 1024 ? fault(ARGUMENT, "SetDevice: device=%u", device) : result);
}
#endif
