/*
 * The shared state of the ranks of one test world, in memory that all copies of the double in this JVM share. Its lock guards all of it.
 *
 *   meeting ── comm (a communicator) ──┬─ slot: the n-th collective of it; done when all members have begun it
 *                                      └─ messages without a match
 *           └─ creation: a communicator under construction
 *
 * A stopped rank takes no part in pending calls; calls that wait for it continue when it resumes.
 */
#ifndef DOUBLE_MEETING_H
#define DOUBLE_MEETING_H

#include "dialect.h"
#include <pthread.h>
#include <stddef.h>

#define MOST_RANKS 32
#define MOST_FAULTS 16
#define TEXT_BYTES 512

#define ERROR_RELEASED 900
#define ERROR_WAIT 902
#define ERROR_COMMUNICATORS 901
#define ERROR_FAULT 1000

enum function {
    F_ALLREDUCE, F_REDUCE, F_BCAST, F_ALLGATHER, F_ALLGATHERV, F_REDUCE_SCATTER_BLOCK, F_REDUCE_SCATTER, F_ALLTOALL, F_ALLTOALLV, F_GATHERV,
    F_SCATTERV, F_BARRIER, F_COMM_DUP, F_COMM_FREE, F_FINALIZE, F_SEND, F_RECV
};

/* A call of one rank that is pending, or whose completion is not yet reported. Fields that its function does not have are 0. */
struct call {
    enum function function;
    int is_blocking;
    const void *from;
    void *to;
    int count;          /* of sent elements */
    int to_count;       /* of received elements, if the function has both */
    int has_type, has_op;
    enum type type, to_type;
    enum op op;
    int root;           /* or the peer of a message */
    int tag;
    const int *counts, *starts, *to_counts, *to_starts;
    int *copies[4];     /* copies of those four arrays from the beginning of the call */
    int member;         /* of the communicator */
    int world_rank;
    struct comm *comm;
    int is_done;
    int code;
    int looks_left;     /* how many polls still report a completed call as pending */
    struct comm *made;
    struct call *next_pending, *previous_pending;   /* list of its rank */
    struct call *next_message;                      /* list of its communicator */
};

struct slot {
    unsigned long number;
    int arrived;
    struct slot *next;
    struct call *calls[MOST_RANKS];
};

struct comm {
    int size;
    int members[MOST_RANKS];
    unsigned long begun[MOST_RANKS];
    int is_busy[MOST_RANKS];        /* whether that member is in a blocking collective */
    int returns_errors[MOST_RANKS];
    struct slot *slots;
    struct call *messages;
    struct comm *next;
};

struct creation {
    struct comm *parent;
    int tag, size, joined, returned, code, is_done;
    int members[MOST_RANKS];
    int has_joined[MOST_RANKS];
    struct comm *made;
    struct creation *next;
};

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int size, initialized, finalized;
    int is_released, blocked;
    int most_comms;
    int level;                      /* the level of thread support, from 0 to 3 */
    int is_stopped[MOST_RANKS];
    /* Whether MPI_Wait returns an error while its operation continues. */
    int are_waits_failing;
    /* Whether the library claims that it takes addresses of devices, and the functions of the CUDA double that access them, or null. */
    int claims_cuda, device_calls;
    void *(*cuda_map)(uint64_t address, uint64_t bytes);
    int (*cuda_knows)(uint64_t address, uint64_t bytes);
    int (*cuda_context)(void);
    int comms_of[MOST_RANKS];
    unsigned long serial;
    struct call *pending[MOST_RANKS];
    struct comm *world, *comms;
    struct creation *creations;
    int faults;
    char texts[MOST_FAULTS][TEXT_BYTES];
};

const char *name_of(const struct call *call, char *place);

/* Records a fault. Returns its code. */
int fault(struct meeting *meeting, int rank, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Waits until the state has changed. */
void await_change(struct meeting *meeting);

struct comm *new_comm(struct meeting *meeting, int size, const int *members);

/* Begins a call after comparing its buffers with those of the rank's other calls. Returns 0, or the code of a fault; then the call has not begun. */
int begin_call(struct meeting *meeting, struct call *call);

/* Removes a completed call from its rank. */
void forget_call(struct meeting *meeting, struct call *call);

/* Takes part in the creation of a communicator, and waits for it. */
int make_comm(struct meeting *meeting, struct comm *parent, int rank, int size, const int *members, int tag, struct comm **made);

/* Continues calls that have waited for a stopped rank. */
void go_on(struct meeting *meeting);

/* In collectives.c: performs a collective after all members have arrived. Returns 0, or the code of a fault. */
int compare_calls(struct meeting *meeting, struct call *first, struct call *other);
int perform(struct meeting *meeting, struct comm *comm, struct call **calls);

/* The bytes that a call reads and writes: at most two ranges. Returns their number. */
struct range {
    uintptr_t from, to;
    int is_written;
};
int ranges_of(const struct call *call, struct range *ranges);

#endif
