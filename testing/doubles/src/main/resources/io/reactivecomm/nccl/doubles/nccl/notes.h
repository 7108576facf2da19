/* What tests read: faults, records of what was launched, and what they have told the double to do. */
#ifndef DOUBLE_NCCL_NOTES_H
#define DOUBLE_NCCL_NOTES_H

#include "dialect.h"

/* A use that is not allowed. Returns the result that the function has then. */
enum result fault(enum result result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A failure that is nobody's fault; it becomes the last error. */
enum result failure(enum result result, const char *format, ...) __attribute__((format(printf, 2, 3)));

const char *last_error(void);

/* A call of a function begins. Returns what a test wants it to return, or success. May block while a test holds it. */
enum result entered(const char *function, int rank);

/* One group's calls of one communicator. The text becomes the record's. */
void record(long thread, long group, uint64_t communicator, int rank, int calls, char *text);

int polls_wanted(void);

int version_wanted(void);

/* Whether two ranks may not share a GPU: 1 within a process. */
#define BETWEEN_PROCESSES 2
int duplicates_refused(void);

/* Milliseconds after which a wait for other ranks is a fault; 0 is never. */
int patience(void);

/* Whether work of a rank may not begin, or not end. */
int is_held(int rank, int at_end);

int delay_of(int rank);

/* What the next launch of a rank is to fail with; success if it is not to. */
enum result planned_failure(int rank);

#endif
