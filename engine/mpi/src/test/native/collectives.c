/* What ranks have to agree on in a collective, and what it does. */
#include "arithmetic.h"
#include "meeting.h"
#include <string.h>

#define BLOCK_BYTES 4096

static size_t width(const struct call *call) { return (size_t) width_of(call->type); }

static long sum_of(const int *counts, int size) {
    long sum = 0;
    for (int i = 0; i < size; i++) {
        sum += counts[i];
    }
    return sum;
}

/* The bytes from the first to the last element of parts. */
static int add_parts(struct range *ranges, int n, const void *base, const int *counts, const int *starts, int size, size_t width, int is_written) {
    long first = -1, last = 0;
    for (int i = 0; i < size; i++) {
        if (counts[i] > 0) {
            first = first < 0 || starts[i] < first ? starts[i] : first;
            last = starts[i] + counts[i] > last ? starts[i] + counts[i] : last;
        }
    }
    if (first >= 0) {
        ranges[n++] = (struct range) {(uintptr_t) base + first * width, (uintptr_t) base + last * width, is_written};
    }
    return n;
}

static int add(struct range *ranges, int n, const void *base, long count, size_t width, int is_written) {
    if (count > 0 && base != IN_PLACE) {
        ranges[n++] = (struct range) {(uintptr_t) base, (uintptr_t) base + count * width, is_written};
    }
    return n;
}

int ranges_of(const struct call *c, struct range *ranges) {
    if (!c->has_type) {
        return 0;
    }
    int size = c->comm->size, me = c->member, is_root = c->root == me;
    size_t w = width(c);
    int n = 0;
    switch (c->function) {
        case F_ALLREDUCE: return add(ranges, add(ranges, 0, c->from, c->count, w, 0), c->to, c->count, w, 1);
        case F_REDUCE:
            n = add(ranges, 0, c->from, c->count, w, 0);
            return is_root ? add(ranges, n, c->to, c->count, w, 1) : n;
        case F_BCAST: return add(ranges, 0, c->to, c->count, w, !is_root);
        case F_ALLGATHER: return add(ranges, add(ranges, 0, c->from, c->count, w, 0), c->to, (long) c->to_count * size, w, 1);
        case F_ALLGATHERV: return add_parts(ranges, add(ranges, 0, c->from, c->count, w, 0), c->to, c->to_counts, c->to_starts, size, w, 1);
        case F_REDUCE_SCATTER_BLOCK: return add(ranges, add(ranges, 0, c->from, (long) c->count * size, w, 0), c->to, c->count, w, 1);
        case F_REDUCE_SCATTER: return add(ranges, add(ranges, 0, c->from, sum_of(c->counts, size), w, 0), c->to, c->counts[me], w, 1);
        case F_ALLTOALL: return add(ranges, add(ranges, 0, c->from, (long) c->count * size, w, 0), c->to, (long) c->to_count * size, w, 1);
        case F_ALLTOALLV:
            n = add_parts(ranges, 0, c->from, c->counts, c->starts, size, w, 0);
            return add_parts(ranges, n, c->to, c->to_counts, c->to_starts, size, w, 1);
        case F_GATHERV:
            n = add(ranges, 0, c->from, c->count, w, 0);
            return is_root ? add_parts(ranges, n, c->to, c->to_counts, c->to_starts, size, w, 1) : n;
        case F_SCATTERV:
            n = is_root ? add_parts(ranges, 0, c->from, c->counts, c->starts, size, w, 0) : 0;
            return add(ranges, n, c->to, c->to_count, w, 1);
        case F_SEND: return add(ranges, 0, c->from, c->count, w, 0);
        case F_RECV: return add(ranges, 0, c->to, c->count, w, 1);
        default: return 0;
    }
}

static int has_root(enum function f) { return f == F_REDUCE || f == F_BCAST || f == F_GATHERV || f == F_SCATTERV; }

static int has_one_count(enum function f) {
    return f == F_ALLREDUCE || f == F_REDUCE || f == F_BCAST || f == F_ALLGATHER || f == F_REDUCE_SCATTER_BLOCK || f == F_ALLTOALL;
}

static int are_different(const int *one, const int *other, int size) { return memcmp(one, other, size * sizeof(int)) != 0; }

/* MPI wants MPI_IN_PLACE on all ranks or on none. */
int compare_calls(struct meeting *meeting, struct call *first, struct call *other) {
    char one[64], two[64];
    const char *what = NULL;
    int size = first->comm->size;
    if (first->function != other->function || first->is_blocking != other->is_blocking) {
        what = "function";
    } else if (first->has_type && first->type != other->type) {
        what = "type";
    } else if (first->has_op && first->op != other->op) {
        what = "operation";
    } else if (has_root(first->function) && first->root != other->root) {
        what = "root";
    } else if (has_one_count(first->function) && first->count != other->count) {
        what = "count";
    } else if (first->function == F_ALLGATHERV && are_different(first->to_counts, other->to_counts, size)) {
        what = "counts";
    } else if (first->function == F_REDUCE_SCATTER && are_different(first->counts, other->counts, size)) {
        what = "counts";
    } else if (!has_root(first->function) && (first->from == IN_PLACE) != (other->from == IN_PLACE)) {
        what = "MPI_IN_PLACE";
    }
    return what == NULL ? 0 : fault(meeting, other->world_rank, "%s meets rank %d's %s of the same communicator: they differ in their %s",
            name_of(other, one), first->world_rank, name_of(first, two), what);
}

/* Elements of the fold of what all give, from one on, to wherever they belong. */
static void fold_into(struct call **calls, int size, size_t first, size_t count, void **places, int n) {
    char block[BLOCK_BYTES] __attribute__((aligned(16)));
    size_t w = width(calls[0]), most = BLOCK_BYTES / w;
    for (size_t at = 0; at < count; at += most) {
        size_t some = count - at < most ? count - at : most;
        for (int i = 0; i < size; i++) {
            const char *from = (const char *) (calls[i]->from == IN_PLACE ? calls[i]->to : calls[i]->from) + (first + at) * w;
            if (i == 0) {
                memcpy(block, from, some * w);
            } else {
                fold(calls[0]->op, calls[0]->type, block, from, some);
            }
        }
        for (int i = 0; i < n; i++) {
            memcpy((char *) places[i] + at * w, block, some * w);
        }
    }
}

static void scatter_fold(struct call **calls, int size) {
    size_t first = 0;
    for (int i = 0; i < size; i++) {
        size_t count = calls[0]->function == F_REDUCE_SCATTER ? (size_t) calls[0]->counts[i] : (size_t) calls[0]->count;
        void *place = calls[i]->to;
        fold_into(calls, size, first, count, &place, 1);
        first += count;
    }
}

static void move(void *to, long to_at, const void *from, long from_at, long count, size_t w) {
    if (count > 0) {
        memmove((char *) to + to_at * w, (const char *) from + from_at * w, count * w);
    }
}

static void gather_all(struct call **calls, int size) {
    size_t w = width(calls[0]);
    for (int to = 0; to < size; to++) {
        for (int from = 0; from < size; from++) {
            const struct call *c = calls[from];
            int is_ragged = c->function == F_ALLGATHERV;
            long at = is_ragged ? calls[to]->to_starts[from] : (long) from * c->count;
            long own = is_ragged ? c->to_starts[from] : (long) from * c->count;
            long count = is_ragged ? c->to_counts[from] : c->count;
            if (c->from != IN_PLACE) {
                move(calls[to]->to, at, c->from, 0, count, w);
            } else if (to != from) {
                move(calls[to]->to, at, c->to, own, count, w);
            }
        }
    }
}

static int differ(struct meeting *meeting, const struct call *from, const struct call *to, int sent, int taken) {
    char name[64];
    return fault(meeting, to->world_rank, "%s: rank %d sends %d elements where %d are expected", name_of(to, name), from->world_rank, sent, taken);
}

static int exchange_all(struct meeting *meeting, struct call **calls, int size) {
    size_t w = width(calls[0]);
    int is_ragged = calls[0]->function == F_ALLTOALLV;
    for (int to = 0; to < size; to++) {
        for (int from = 0; from < size; from++) {
            int sent = is_ragged ? calls[from]->counts[to] : calls[from]->count;
            int taken = is_ragged ? calls[to]->to_counts[from] : calls[to]->to_count;
            if (sent != taken) {
                return differ(meeting, calls[from], calls[to], sent, taken);
            }
            long from_at = is_ragged ? calls[from]->starts[to] : (long) to * sent;
            long to_at = is_ragged ? calls[to]->to_starts[from] : (long) from * taken;
            move(calls[to]->to, to_at, calls[from]->from, from_at, sent, w);
        }
    }
    return 0;
}

static int by_root(struct meeting *meeting, struct call **calls, int size) {
    struct call *root = calls[calls[0]->root];
    int is_gather = root->function == F_GATHERV;
    for (int i = 0; i < size; i++) {
        int theirs = is_gather ? calls[i]->count : calls[i]->to_count;
        int known = is_gather ? root->to_counts[i] : root->counts[i];
        int is_in_place = i == root->member && (is_gather ? root->from == IN_PLACE : root->to == IN_PLACE);
        if (!is_in_place && theirs != known) {
            return is_gather ? differ(meeting, calls[i], root, theirs, known) : differ(meeting, root, calls[i], known, theirs);
        }
        if (!is_in_place && is_gather) {
            move(root->to, root->to_starts[i], calls[i]->from, 0, known, width(root));
        } else if (!is_in_place) {
            move(calls[i]->to, 0, root->from, root->starts[i], known, width(root));
        }
    }
    return 0;
}

/* Arrays of lengths belong to a call as its buffers do. */
static int compare_arrays(struct meeting *meeting, struct call **calls, int size) {
    char name[64];
    for (int i = 0; i < size; i++) {
        const int *now[] = {calls[i]->counts, calls[i]->starts, calls[i]->to_counts, calls[i]->to_starts};
        for (int array = 0; array < 4; array++) {
            if (calls[i]->copies[array] != NULL && are_different(now[array], calls[i]->copies[array], size)) {
                return fault(meeting, calls[i]->world_rank, "%s: its array of lengths was changed while it was under way", name_of(calls[i], name));
            }
        }
    }
    return 0;
}

int perform(struct meeting *meeting, struct comm *comm, struct call **calls) {
    int size = comm->size;
    int code = compare_arrays(meeting, calls, size);
    if (code != 0) {
        return code;
    }
    void *places[MOST_RANKS];
    for (int i = 0; i < size; i++) {
        places[i] = calls[i]->to;
    }
    struct call *root = calls[calls[0]->root];
    switch (calls[0]->function) {
        case F_ALLREDUCE: fold_into(calls, size, 0, calls[0]->count, places, size); return 0;
        case F_REDUCE: fold_into(calls, size, 0, root->count, &root->to, 1); return 0;
        case F_BCAST:
            for (int i = 0; i < size; i++) {
                if (calls[i] != root) {
                    move(calls[i]->to, 0, root->to, 0, root->count, width(root));
                }
            }
            return 0;
        case F_ALLGATHER:
        case F_ALLGATHERV: gather_all(calls, size); return 0;
        case F_REDUCE_SCATTER_BLOCK:
        case F_REDUCE_SCATTER: scatter_fold(calls, size); return 0;
        case F_ALLTOALL:
        case F_ALLTOALLV: return exchange_all(meeting, calls, size);
        case F_GATHERV:
        case F_SCATTERV: return by_root(meeting, calls, size);
        default: return 0;
    }
}
