/*
 * Where the ranks of one world of tests meet: in memory that all copies of the double in this JVM see. Everything of it is guarded by its lock.
 *
 *   meeting ── comm (a communicator) ──┬─ slot: the n-th collective of it; done when all members have begun it
 *                                      └─ calls without their other end: messages
 *           └─ creation: a communicator that is being made
 *
 * A rank that is stopped takes part in nothing that is not done yet; what waits for it goes on when it does.
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

/* A call of one rank that is not done, or that nobody has asked for yet. What a function has not got is 0. */
struct call {
    enum function function;
    int is_blocking;
    const void *from;
    void *to;
    int count;          /* of what is sent */
    int to_count;       /* of what is received, where a function has both */
    int has_type, has_op;
    enum type type, to_type;
    enum op op;
    int root;           /* or a message's other end */
    int tag;
    const int *counts, *starts, *to_counts, *to_starts;
    int *copies[4];     /* of those four, when the call was begun */
    int member;         /* of the communicator */
    int world_rank;
    struct comm *comm;
    int is_done;
    int code;
    int looks_left;     /* how often it is found pending when it is done */
    struct comm *made;
    struct call *next_pending, *previous_pending;   /* of its rank */
    struct call *next_message;                      /* of its communicator */
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
    int is_busy[MOST_RANKS];        /* a blocking collective of that member is under way */
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
    int level;                      /* of threads, from 0 to 3 */
    int is_stopped[MOST_RANKS];
    /* Whether MPI_Wait returns an error, and what it waits for goes on. */
    int are_waits_failing;
    /* Whether the library says that it takes addresses of devices, and what the double of CUDA has to reach them; null where there is none. */
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

/* Notes a fault. Returns its code. */
int fault(struct meeting *meeting, int rank, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Waits until something has changed. */
void await_change(struct meeting *meeting);

struct comm *new_comm(struct meeting *meeting, int size, const int *members);

/* Begins a call, whose buffers are compared with those of its rank's others. Returns 0, or a fault's code: then it is not begun. */
int begin_call(struct meeting *meeting, struct call *call);

/* It is over for its rank. */
void forget_call(struct meeting *meeting, struct call *call);

/* Joins the making of a communicator, and waits for it. */
int make_comm(struct meeting *meeting, struct comm *parent, int rank, int size, const int *members, int tag, struct comm **made);

/* Goes on with what has waited for a rank. */
void go_on(struct meeting *meeting);

/* In collectives.c: what a collective does once all have come. Returns 0, or a fault's code. */
int compare_calls(struct meeting *meeting, struct call *first, struct call *other);
int perform(struct meeting *meeting, struct comm *comm, struct call **calls);

/* The bytes that a call reads and writes: at most two ranges. Returns how many. */
struct range {
    uintptr_t from, to;
    int is_written;
};
int ranges_of(const struct call *call, struct range *ranges);

#endif
