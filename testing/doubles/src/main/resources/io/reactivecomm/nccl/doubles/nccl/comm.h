/* A communicator, as one rank has it. It is never freed, so that its use after its end is known. */
#ifndef DOUBLE_NCCL_COMM_H
#define DOUBLE_NCCL_COMM_H

#include "notes.h"
#include "shared.h"

#define MOST_REDUCTIONS 256
/* Numbers of reductions that multiply first begin here. */
#define FIRST_REDUCTION 16

enum kind { ALL_REDUCE, REDUCE, BROADCAST, REDUCE_SCATTER, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, SEND, RECV };

enum life { ALIVE, FINALIZED, REVOKED, DESTROYED, ABORTED };

/* What a communicator that does not block has under way; the others wait for its end. */
enum task { NOTHING, JOIN, SPLIT, CHILD, LAUNCH };

struct reduction {
    int is_there;
    enum type type;
    char factor[8];
    /* On the device, to be read when the work runs; else null. */
    const void *at;
};

struct call {
    enum kind kind;
    const char *from;
    char *to;
    size_t count;
    enum type type;
    int op;
    struct reduction reduction;
    /* The root, or the other rank of a message; -1 if there is none. */
    int peer;
};

/* The calls of one communicator in one group. */
struct launch {
    struct comm *comm;
    void *stream;
    struct call *calls;
    int count, space;
    struct launch *next;
};

struct comm {
    uint64_t name;
    int size, rank, device, is_blocking;
    struct segment *shared;
    enum life life;
    /* Work that is on a stream ends at once. */
    _Atomic int is_ended;
    /* Work on streams, and threads that wait: while there are any, the shared memory stays. */
    _Atomic int running;
    enum task task;
    int polls;
    struct launch *deferred;
    struct comm *child, **place;
    int color, children;
    uint32_t splits;
    /* Of the work on streams. */
    uint32_t steps;
    struct reduction reductions[MOST_REDUCTIONS];
    /* The thread whose open group has calls of it; 0 if there is none. */
    long group_thread;
    struct comm *next;
};

void lock_comms(void);
void unlock_comms(void);

/* With the lock. */
struct comm *first_comm(void);

/* Whether it is one, alive or not. With the lock. */
int is_comm(const struct comm *comm);

/* Success if it may be used for more than to be ended. With the lock. */
enum result usable(struct comm *comm, const char *function);

/* Begins to make one. With the lock. */
enum result join(struct comm **made, uint64_t name, int size, int rank, int is_blocking);

/* What became of what it was told last: success, in progress, or its failure. With the lock. */
enum result progress(struct comm *comm);

/* Waits for that, where it blocks. Takes the lock with it. */
enum result settled(struct comm *comm);

/* Waits until no work of it is on a stream. Without the lock. */
void await_idle(struct comm *comm);

/* One of running has ended: the last one of a communicator that has ended frees the memory. */
void let_go(struct comm *comm);

/* Frees the memory of one that has ended, if nobody is left. With the lock. */
void free_if_idle(struct comm *comm);

int is_over(const struct comm *comm);

/* No work of it goes on. */
void end_work(struct comm *comm);

/* In run.c: the work of a launch. */
void run_launch(void *launch);

enum result give_to_stream(struct launch *launch);

/* In messages.c. Return 0, or -1 if there is nothing more to do because the communicator has ended. */
int run_messages(struct launch *launch);

/* Waits once for other ranks, after that reading of the bell. Returns -1 if the communicator has ended. Since when it waits is 0 at first. */
int wait_for_others(struct comm *comm, uint32_t reading, long *since);

/* Waits until the communicator ends: what has failed holds its stream till then. Returns -1. */
int stay(struct comm *comm);

/* Whether more than the patience of tests has passed. */
int is_too_long(long *since);

/* The bytes that a rank reads and writes. */
size_t bytes_from(const struct comm *comm, const struct call *call);
size_t bytes_to(const struct comm *comm, const struct call *call);

/* In group.c: a call, alone or in the group of this thread. */
int issue(const char *function, struct comm *comm, void *stream, struct call call);

/* Whether this thread has a group open. */
int is_grouped(void);

void describe(const struct call *call, char *text, size_t bytes);

int is_message(const struct call *call);

/* In checks.c, with the lock: whether a call, and calls of one group, are allowed. */
enum result check_call(const char *function, struct comm *comm, struct call *call);
enum result check_pair(const struct launch *one, const struct call *call, const struct launch *other, const struct call *later);

const char *name_of(enum kind kind);

#endif
