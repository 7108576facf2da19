/* How calls of ranks find each other. */
#include "meeting.h"
#include "arithmetic.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *name_of(const struct call *call, char *place) {
    static const char *const names[] = {"allreduce", "reduce", "bcast", "allgather", "allgatherv", "reduce_scatter_block", "reduce_scatter",
            "alltoall", "alltoallv", "gatherv", "scatterv", "barrier", "Comm_dup", "Comm_free", "Finalize", "send", "recv"};
    snprintf(place, 64, "%s%s", call->is_blocking ? "MPI_" : "MPI_I", names[call->function]);
    /* MPI_Bcast, MPI_Ibcast */
    place[4] = call->is_blocking ? toupper(place[4]) : place[4];
    return place;
}

int fault(struct meeting *meeting, int rank, const char *format, ...) {
    if (meeting->is_released) {
        return ERROR_RELEASED;
    }
    if (meeting->faults == MOST_FAULTS) {
        return ERROR_FAULT;
    }
    char *text = meeting->texts[meeting->faults];
    int length = snprintf(text, TEXT_BYTES, "rank %d: ", rank);
    va_list values;
    va_start(values, format);
    vsnprintf(text + length, TEXT_BYTES - length, format, values);
    va_end(values);
    /* Nothing that follows means anything: all that waits ends. */
    meeting->is_released = 1;
    pthread_cond_broadcast(&meeting->changed);
    return ERROR_FAULT + meeting->faults++;
}

void await_change(struct meeting *meeting) {
    meeting->blocked++;
    pthread_cond_broadcast(&meeting->changed);
    pthread_cond_wait(&meeting->changed, &meeting->lock);
    meeting->blocked--;
}

struct comm *new_comm(struct meeting *meeting, int size, const int *members) {
    struct comm *comm = calloc(1, sizeof(struct comm));
    comm->size = size;
    memcpy(comm->members, members, size * sizeof(int));
    comm->next = meeting->comms;
    meeting->comms = comm;
    return comm;
}

static int has_stopped(const struct meeting *meeting, int size, const int *members) {
    for (int i = 0; i < size; i++) {
        if (meeting->is_stopped[members[i]]) {
            return 1;
        }
    }
    return 0;
}

static void done(struct meeting *meeting, struct call *call, int code) {
    call->is_done = 1;
    call->code = code;
    /* What is done need not be seen to be at the first look. */
    call->looks_left = meeting->serial++ % 3 == 0;
}

/* Buffers */

static int compare_ranges(struct meeting *meeting, struct call *call, const struct range *own, int n, struct call *other) {
    char one[64], two[64];
    struct range theirs[2];
    int m = ranges_of(other, theirs);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int is_one = call == other && i == j;
            if (!is_one && own[i].from < theirs[j].to && theirs[j].from < own[i].to && (own[i].is_written || theirs[j].is_written)) {
                return fault(meeting, call->world_rank, "%s has memory that %s has, too, and one of them writes it", name_of(call, one),
                        call == other ? "its other buffer" : name_of(other, two));
            }
        }
    }
    return 0;
}

static int compare_buffers(struct meeting *meeting, struct call *call) {
    struct range own[2];
    int n = ranges_of(call, own);
    int code = compare_ranges(meeting, call, own, n, call);
    for (struct call *each = meeting->pending[call->world_rank]; each != NULL && code == 0; each = each->next_pending) {
        code = compare_ranges(meeting, call, own, n, each);
    }
    return code;
}

/* What is received is undefined until it is there. In place it is not, and rows with gaps are left alone. */
static void scribble(struct call *call) {
    struct range own[2];
    int n = ranges_of(call, own);
    int has_gaps = call->function == F_ALLGATHERV || call->function == F_ALLTOALLV || call->function == F_GATHERV;
    for (int i = 0; i < n && !has_gaps && call->from != IN_PLACE; i++) {
        if (own[i].is_written && own[i].to - own[i].from <= 65536) {
            memset((void *) own[i].from, 0xa5, own[i].to - own[i].from);
        }
    }
}

static void keep_arrays(struct call *call) {
    const int *arrays[] = {call->counts, call->starts, call->to_counts, call->to_starts};
    size_t bytes = call->comm->size * sizeof(int);
    for (int i = 0; i < 4; i++) {
        if (arrays[i] != NULL) {
            call->copies[i] = malloc(bytes);
            memcpy(call->copies[i], arrays[i], bytes);
        }
    }
}

void forget_call(struct meeting *meeting, struct call *call) {
    if (call->previous_pending != NULL) {
        call->previous_pending->next_pending = call->next_pending;
    } else {
        meeting->pending[call->world_rank] = call->next_pending;
    }
    if (call->next_pending != NULL) {
        call->next_pending->previous_pending = call->previous_pending;
    }
    for (int i = 0; i < 4; i++) {
        free(call->copies[i]);
    }
    free(call);
}

/* Collectives */

static void finish(struct meeting *meeting, struct comm *comm, struct slot *slot) {
    int code = perform(meeting, comm, slot->calls);
    struct comm *made = code == 0 && slot->calls[0]->function == F_COMM_DUP ? new_comm(meeting, comm->size, comm->members) : NULL;
    for (int i = 0; i < comm->size; i++) {
        if (made != NULL && meeting->comms_of[comm->members[i]] >= meeting->most_comms) {
            code = ERROR_COMMUNICATORS;
        }
    }
    for (int i = 0; i < comm->size; i++) {
        slot->calls[i]->made = made;
        done(meeting, slot->calls[i], code);
        comm->is_busy[i] &= !slot->calls[i]->is_blocking;
    }
    struct slot **link = &comm->slots;
    while (*link != slot) {
        link = &(*link)->next;
    }
    *link = slot->next;
    free(slot);
    pthread_cond_broadcast(&meeting->changed);
}

static struct slot *slot_of(struct comm *comm, unsigned long number) {
    struct slot **link = &comm->slots;
    while (*link != NULL && (*link)->number != number) {
        link = &(*link)->next;
    }
    if (*link == NULL) {
        *link = calloc(1, sizeof(struct slot));
        (*link)->number = number;
    }
    return *link;
}

static int begin_collective(struct meeting *meeting, struct call *call) {
    struct comm *comm = call->comm;
    char name[64];
    if (comm->is_busy[call->member]) {
        return fault(meeting, call->world_rank, "%s while another thread of this rank is in a blocking function of the same communicator", name_of(call, name));
    }
    struct slot *slot = slot_of(comm, comm->begun[call->member]++);
    for (int i = 0; i < comm->size; i++) {
        if (slot->calls[i] != NULL) {
            int code = compare_calls(meeting, slot->calls[i], call);
            if (code != 0) {
                return code;
            }
            break;
        }
    }
    comm->is_busy[call->member] = call->is_blocking;
    slot->calls[call->member] = call;
    slot->arrived++;
    if (slot->arrived == comm->size && !has_stopped(meeting, comm->size, comm->members)) {
        finish(meeting, comm, slot);
    }
    return 0;
}

/* Messages */

static int pass(struct meeting *meeting, struct call *from, struct call *to) {
    if (from->type != to->type || from->count != to->count) {
        return fault(meeting, to->world_rank, "a message of rank %d has %d elements of %d bytes, where %d of %d are expected", from->world_rank, from->count,
                width_of(from->type), to->count, width_of(to->type));
    }
    if (from->count > 0) {
        memmove(to->to, from->from, (size_t) from->count * width_of(from->type));
    }
    return 0;
}

static int is_other_end(const struct call *one, const struct call *other) {
    return one->function != other->function && one->member == other->root && one->root == other->member && one->tag == other->tag;
}

/* Takes the first other end of a message out of the list. */
static int has_met(struct meeting *meeting, struct call *call) {
    struct comm *comm = call->comm;
    for (struct call **link = &comm->messages; *link != NULL; link = &(*link)->next_message) {
        struct call *other = *link;
        if (is_other_end(call, other) && !meeting->is_stopped[call->world_rank] && !meeting->is_stopped[other->world_rank]) {
            *link = other->next_message;
            int code = call->function == F_SEND ? pass(meeting, call, other) : pass(meeting, other, call);
            done(meeting, call, code);
            done(meeting, other, code);
            pthread_cond_broadcast(&meeting->changed);
            return 1;
        }
    }
    return 0;
}

static void begin_message(struct meeting *meeting, struct call *call) {
    if (!has_met(meeting, call)) {
        struct call **link = &call->comm->messages;
        while (*link != NULL) {
            link = &(*link)->next_message;
        }
        *link = call;
    }
}

int begin_call(struct meeting *meeting, struct call *call) {
    int code = compare_buffers(meeting, call);
    if (code == 0) {
        keep_arrays(call);
        scribble(call);
        if (call->function == F_SEND || call->function == F_RECV) {
            begin_message(meeting, call);
        } else {
            code = begin_collective(meeting, call);
        }
    }
    call->next_pending = meeting->pending[call->world_rank];
    if (call->next_pending != NULL) {
        call->next_pending->previous_pending = call;
    }
    meeting->pending[call->world_rank] = call;
    if (code != 0) {
        forget_call(meeting, call);
    }
    return code;
}

/* Communicators */

static void finish_creation(struct meeting *meeting, struct creation *creation) {
    for (int i = 0; i < creation->size; i++) {
        if (meeting->comms_of[creation->members[i]] >= meeting->most_comms) {
            creation->code = ERROR_COMMUNICATORS;
        }
    }
    if (creation->code == 0) {
        creation->made = new_comm(meeting, creation->size, creation->members);
    }
    creation->is_done = 1;
    pthread_cond_broadcast(&meeting->changed);
}

static struct creation *creation_of(struct meeting *meeting, struct comm *parent, int member, int size, const int *members, int tag) {
    struct creation **link = &meeting->creations;
    for (; *link != NULL; link = &(*link)->next) {
        struct creation *each = *link;
        if (!each->has_joined[member] && each->parent == parent && each->tag == tag && each->size == size
                && memcmp(each->members, members, size * sizeof(int)) == 0) {
            return each;
        }
    }
    *link = calloc(1, sizeof(struct creation));
    (*link)->parent = parent;
    (*link)->tag = tag;
    (*link)->size = size;
    memcpy((*link)->members, members, size * sizeof(int));
    return *link;
}

static void remove_creation(struct meeting *meeting, struct creation *creation) {
    struct creation **link = &meeting->creations;
    while (*link != creation) {
        link = &(*link)->next;
    }
    *link = creation->next;
    free(creation);
}

int make_comm(struct meeting *meeting, struct comm *parent, int rank, int size, const int *members, int tag, struct comm **made) {
    int member = 0;
    while (member < size && members[member] != rank) {
        member++;
    }
    if (member == size) {
        return fault(meeting, rank, "MPI_Comm_create_group of a group that this rank is not in");
    }
    struct creation *creation = creation_of(meeting, parent, member, size, members, tag);
    creation->has_joined[member] = 1;
    creation->joined++;
    if (creation->joined == size && !has_stopped(meeting, size, members)) {
        finish_creation(meeting, creation);
    }
    while (!creation->is_done && !meeting->is_released) {
        await_change(meeting);
    }
    int code = creation->is_done ? creation->code : ERROR_RELEASED;
    *made = creation->made;
    if (creation->is_done && ++creation->returned == size) {
        remove_creation(meeting, creation);
    }
    return code;
}

void go_on(struct meeting *meeting) {
    for (struct creation *each = meeting->creations; each != NULL; each = each->next) {
        if (!each->is_done && each->joined == each->size && !has_stopped(meeting, each->size, each->members)) {
            finish_creation(meeting, each);
        }
    }
    for (struct comm *comm = meeting->comms; comm != NULL; comm = comm->next) {
        for (struct slot *slot = comm->slots, *next; slot != NULL; slot = next) {
            next = slot->next;
            if (slot->arrived == comm->size && !has_stopped(meeting, comm->size, comm->members)) {
                finish(meeting, comm, slot);
            }
        }
        struct call *unmatched = comm->messages;
        comm->messages = NULL;
        for (struct call *call = unmatched, *next; call != NULL; call = next) {
            next = call->next_message;
            call->next_message = NULL;
            begin_message(meeting, call);
        }
    }
    pthread_cond_broadcast(&meeting->changed);
}
