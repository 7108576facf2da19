/* What one copy of the double holds: that of one rank, which stands for a process. Guarded by the meeting's lock. */
#ifndef DOUBLE_PROCESS_H
#define DOUBLE_PROCESS_H

#include "meeting.h"

struct group {
    int size;
    int members[MOST_RANKS];
};

extern struct meeting *meeting;
extern int own_rank;

/* A handle of a new object. */
handle new_handle(enum kind kind, void *object);

/* The object of a handle; null if it is none of this process's, or was freed. */
void *object_of(enum kind kind, handle value);

void free_handle(handle value);

int handles_of(enum kind kind);

/* The number that a predefined handle stands for; -1 if it is none of that kind in this dialect. */
int number_of(enum kind kind, handle value);

void forget_handles(void);

/* In entry.c */

extern int is_initialized, is_finalized;

#define CALL(...) ((struct call) {__VA_ARGS__})

/* Locks; returns 0 if this process may make calls. */
int enter(const char *name);

/* Unlocks; returns the code. */
int leave(int code);

struct comm *comm_of(handle value);
int member_of(const struct comm *comm);

/* A fault: a handle that is not known. */
int unknown(const char *name, const char *what);

/* Puts in what handles stand for; null is what a function has not got. */
int resolve(struct call *call, handle comm, const handle *type, const handle *to_type, const handle *op);

/* Waits for a call and forgets it; made is where the communicator that it made is to be, or null. */
int outcome(struct call *call, struct comm **made);

#endif
