/*
 * A double of MPI: exactly the functions that the engine looks up, in one dialect, for ranks that are threads of one JVM. Each rank loads a copy of the
 * library, which has globals of its own and so stands for a process; the copies meet in one piece of memory (meeting.h).
 *
 * It is strict: what MPI leaves undefined, or implementations take without a word, is a fault here, which tests ask for (double_fault). A call with a fault
 * fails, and so does all that waits then and later.
 */
#include "process.h"
#include <stdlib.h>

/* What of in-place forms there is; the others are not used. */
static int misplaced(const struct call *call) {
    char name[64];
    name_of(call, name);
    enum function f = call->function;
    int may = f == F_ALLREDUCE || f == F_ALLGATHER || f == F_ALLGATHERV || ((f == F_REDUCE || f == F_GATHERV) && call->member == call->root);
    if ((call->from == IN_PLACE && !may) || call->to == IN_PLACE) {
        return fault(meeting, own_rank, "%s: MPI_IN_PLACE is not for this function, or not on this rank", name);
    }
    int is_own_count_known = f == F_ALLGATHERV && call->from != IN_PLACE;
    if (is_own_count_known && call->count != call->to_counts[call->member]) {
        return fault(meeting, own_rank, "%s: it sends %d elements, and says that it sends %d", name, call->count, call->to_counts[call->member]);
    }
    return (f == F_ALLGATHER || f == F_ALLTOALL) && call->from != IN_PLACE && call->count != call->to_count
            ? fault(meeting, own_rank, "%s: it sends %d elements, and expects %d", name, call->count, call->to_count)
            : 0;
}

static const void *reached(const void *address) { return meeting->cuda_map((uint64_t) (uintptr_t) address, 1); }

/* Puts in where the double reaches memory of devices, which has to be live, and on a thread on which a device is current. */
static int reach(struct call *call) {
    struct range ranges[2];
    int n = meeting->cuda_map == NULL ? 0 : ranges_of(call, ranges), is_device = 0;
    char name[64];
    name_of(call, name);
    for (int i = 0; i < n; i++) {
        uint64_t first = ranges[i].from;
        if (meeting->cuda_knows(first, 1)) {
            is_device = 1;
            if (meeting->cuda_map(first, ranges[i].to - first) == NULL) {
                return fault(meeting, own_rank, "%s: memory of a device that is not there yet, or beyond its block", name);
            }
        }
    }
    if (!is_device) {
        return 0;
    }
    if (!meeting->claims_cuda) {
        return fault(meeting, own_rank, "%s: an address of a device, which this library does not take", name);
    }
    if (meeting->cuda_context() < 0) {
        return fault(meeting, own_rank, "%s: an address of a device, and none is current on the thread", name);
    }
    meeting->device_calls++;
    const void *from = call->from == IN_PLACE || call->from == NULL ? NULL : reached(call->from), *to = call->to == NULL ? NULL : reached(call->to);
    call->from = from == NULL ? call->from : from;
    call->to = to == NULL ? call->to : (void *) (uintptr_t) to;
    return 0;
}

EXPORT int MPIX_Query_cuda_support(void) { return meeting->claims_cuda; }

static int submit(struct call *call, handle *request) {
    int code = misplaced(call);
    if (code == 0) {
        code = begin_call(meeting, call);
    } else {
        free(call);
    }
    if (code != 0) {
        return code;
    }
    if (call->is_blocking) {
        return outcome(call, NULL);
    }
    *request = new_handle(KIND_REQUEST, call);
    return 0;
}

static int begin(struct call wanted, handle comm, const handle *type, const handle *to_type, const handle *op, handle *request) {
    char name[64];
    wanted.is_blocking = request == NULL;
    int code = enter(name_of(&wanted, name));
    if (code != 0) {
        return code;
    }
    code = resolve(&wanted, comm, type, to_type, op);
    code = code != 0 ? code : reach(&wanted);
    if (code != 0) {
        return leave(code);
    }
    struct call *call = malloc(sizeof(struct call));
    *call = wanted;
    return leave(submit(call, request));
}

/* Each in both forms. */
#define FORMS(Name, name, parameters, arguments, call, types, op)                                                                                    \
    static int name##_as(parameters, handle *request) { return begin(CALL call, comm, types, op, request); }                                         \
    EXPORT int MPI_##Name(parameters) { return name##_as(arguments, NULL); }                                                                         \
    EXPORT int MPI_I##name(parameters, handle *request) { return name##_as(arguments, request); }
#define LIST(...) __VA_ARGS__

FORMS(Allreduce, allreduce, LIST(const void *from, void *to, int count, handle type, handle op, handle comm), LIST(from, to, count, type, op, comm),
        (.function = F_ALLREDUCE, .from = from, .to = to, .count = count), LIST(&type, NULL), &op)
FORMS(Reduce, reduce, LIST(const void *from, void *to, int count, handle type, handle op, int root, handle comm),
        LIST(from, to, count, type, op, root, comm), (.function = F_REDUCE, .from = from, .to = to, .count = count, .root = root), LIST(&type, NULL), &op)
FORMS(Bcast, bcast, LIST(void *buffer, int count, handle type, int root, handle comm), LIST(buffer, count, type, root, comm),
        (.function = F_BCAST, .to = buffer, .count = count, .root = root), LIST(&type, NULL), NULL)
FORMS(Allgather, allgather, LIST(const void *from, int count, handle type, void *to, int each, handle to_type, handle comm),
        LIST(from, count, type, to, each, to_type, comm), (.function = F_ALLGATHER, .from = from, .to = to, .count = count, .to_count = each),
        LIST(&type, &to_type), NULL)
FORMS(Allgatherv, allgatherv,
        LIST(const void *from, int count, handle type, void *to, const int *counts, const int *starts, handle to_type, handle comm),
        LIST(from, count, type, to, counts, starts, to_type, comm),
        (.function = F_ALLGATHERV, .from = from, .to = to, .count = count, .to_counts = counts, .to_starts = starts), LIST(&type, &to_type), NULL)
FORMS(Reduce_scatter_block, reduce_scatter_block, LIST(const void *from, void *to, int count, handle type, handle op, handle comm),
        LIST(from, to, count, type, op, comm), (.function = F_REDUCE_SCATTER_BLOCK, .from = from, .to = to, .count = count), LIST(&type, NULL), &op)
FORMS(Reduce_scatter, reduce_scatter, LIST(const void *from, void *to, const int *counts, handle type, handle op, handle comm),
        LIST(from, to, counts, type, op, comm), (.function = F_REDUCE_SCATTER, .from = from, .to = to, .counts = counts), LIST(&type, NULL), &op)
FORMS(Alltoall, alltoall, LIST(const void *from, int count, handle type, void *to, int each, handle to_type, handle comm),
        LIST(from, count, type, to, each, to_type, comm), (.function = F_ALLTOALL, .from = from, .to = to, .count = count, .to_count = each),
        LIST(&type, &to_type), NULL)
FORMS(Alltoallv, alltoallv,
        LIST(const void *from, const int *counts, const int *starts, handle type, void *to, const int *to_counts, const int *to_starts, handle to_type,
                handle comm),
        LIST(from, counts, starts, type, to, to_counts, to_starts, to_type, comm),
        (.function = F_ALLTOALLV, .from = from, .to = to, .counts = counts, .starts = starts, .to_counts = to_counts, .to_starts = to_starts),
        LIST(&type, &to_type), NULL)
FORMS(Gatherv, gatherv,
        LIST(const void *from, int count, handle type, void *to, const int *counts, const int *starts, handle to_type, int root, handle comm),
        LIST(from, count, type, to, counts, starts, to_type, root, comm),
        (.function = F_GATHERV, .from = from, .to = to, .count = count, .to_counts = counts, .to_starts = starts, .root = root), LIST(&type, &to_type), NULL)
FORMS(Scatterv, scatterv,
        LIST(const void *from, const int *counts, const int *starts, handle type, void *to, int count, handle to_type, int root, handle comm),
        LIST(from, counts, starts, type, to, count, to_type, root, comm),
        (.function = F_SCATTERV, .from = from, .to = to, .counts = counts, .starts = starts, .to_count = count, .root = root), LIST(&type, &to_type), NULL)
FORMS(Barrier, barrier, LIST(handle comm), LIST(comm), (.function = F_BARRIER), LIST(NULL, NULL), NULL)

EXPORT int MPI_Isend(const void *from, int count, handle type, int peer, int tag, handle comm, handle *request) {
    return begin(CALL(.function = F_SEND, .from = from, .count = count, .root = peer, .tag = tag), comm, &type, NULL, NULL, request);
}

EXPORT int MPI_Irecv(void *to, int count, handle type, int peer, int tag, handle comm, handle *request) {
    return begin(CALL(.function = F_RECV, .to = to, .count = count, .root = peer, .tag = tag), comm, &type, NULL, NULL, request);
}

/* Requests */

static int ended(handle *request) {
    struct call *call = object_of(KIND_REQUEST, *request);
    free_handle(*request);
    *request = REQUEST_NULL;
    return outcome(call, NULL);
}

static int requested(const char *name, const handle *request, const void *status, struct call **call) {
    int code = enter(name);
    if (code != 0) {
        return code;
    }
    *call = object_of(KIND_REQUEST, *request);
    if (*call == NULL) {
        return leave(unknown(name, "the request"));
    }
    return status == STATUS_IGNORE ? 0 : leave(fault(meeting, own_rank, "%s: the status is not MPI_STATUS_IGNORE of %s", name, DIALECT_NAME));
}

EXPORT int MPI_Test(handle *request, int *flag, void *status) {
    struct call *call;
    int code = requested("MPI_Test", request, status, &call);
    if (code != 0) {
        return code;
    }
    *flag = call->is_done && !meeting->is_stopped[own_rank] && call->looks_left-- <= 0;
    return leave(*flag ? ended(request) : 0);
}

EXPORT int MPI_Wait(handle *request, void *status) {
    struct call *call;
    int code = requested("MPI_Wait", request, status, &call);
    if (code == 0 && meeting->are_waits_failing) {
        return leave(ERROR_WAIT);
    }
    return code != 0 ? code : leave(ended(request));
}
