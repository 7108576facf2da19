#define _GNU_SOURCE
#include "notes.h"
#include "shared.h"
#include "stream.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FAULTS 256
#define MOST_RECORDS (1 << 17)
#define MOST_PLANS 64
#define MOST_FUNCTIONS 64
#define ANY -1

struct note {
    long thread, group, communicator, rank, calls;
    char *text;
};

struct plan {
    char function[32];
    int rank, result, after;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char *faults[MOST_FAULTS];
static int fault_count;
static struct note *records;
static int record_count, record_space;
static struct plan plans[MOST_PLANS];
static int plan_count;
static struct {
    const char *function;
    long calls;
} counts[MOST_FUNCTIONS];
static char held_function[32];
static int waiting_in_held;
static int polls = 1, version = NEWEST, refuses_duplicates, patience_millis;
static int held_starts[MOST_RANKS], held_ends[MOST_RANKS], delays[MOST_RANKS];
static char last_text[TEXT] = "";

int outgoing(enum result result) {
    static const int numbers[] = OUTGOING;
    return numbers[result];
}

static void keep_last(const char *format, va_list arguments, char *text) {
    vsnprintf(text, TEXT, format, arguments);
    pthread_mutex_lock(&lock);
    memcpy(last_text, text, TEXT);
    pthread_mutex_unlock(&lock);
}

enum result fault(enum result result, const char *format, ...) {
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    keep_last(format, arguments, text);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    if (fault_count < MOST_FAULTS) {
        faults[fault_count++] = strdup(text);
    }
    pthread_mutex_unlock(&lock);
    tell_cuda_of_fault(text);
    return result;
}

enum result failure(enum result result, const char *format, ...) {
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    keep_last(format, arguments, text);
    va_end(arguments);
    return result;
}

const char *last_error(void) { return last_text; }

static void count_call(const char *function) {
    for (int i = 0; i < MOST_FUNCTIONS; i++) {
        if (counts[i].function == NULL || strcmp(counts[i].function, function) == 0) {
            counts[i].function = function;
            counts[i].calls++;
            return;
        }
    }
}

static enum result planned(const char *function, int rank) {
    for (int i = 0; i < plan_count; i++) {
        struct plan *plan = &plans[i];
        if (strcmp(plan->function, function) == 0 && (plan->rank == ANY || plan->rank == rank) && plan->after-- == 0) {
            enum result result = plan->result;
            plans[i] = plans[--plan_count];
            return result;
        }
    }
    return SUCCESS;
}

enum result entered(const char *function, int rank) {
    pthread_mutex_lock(&lock);
    count_call(function);
    while (strcmp(held_function, function) == 0) {
        waiting_in_held++;
        pthread_cond_broadcast(&changed);
        pthread_cond_wait(&changed, &lock);
        waiting_in_held--;
    }
    enum result result = planned(function, rank);
    if (result != SUCCESS && result != IN_PROGRESS) {
        snprintf(last_text, TEXT, "%s was told to fail with %d", function, result);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

enum result planned_failure(int rank) {
    pthread_mutex_lock(&lock);
    enum result result = planned("launch", rank);
    pthread_mutex_unlock(&lock);
    return result;
}

void record(long thread, long group, uint64_t communicator, int rank, int calls, char *text) {
    pthread_mutex_lock(&lock);
    if (record_count == record_space && record_space < MOST_RECORDS) {
        record_space = record_space == 0 ? 256 : 2 * record_space;
        records = realloc(records, record_space * sizeof(struct note));
    }
    if (record_count < record_space) {
        records[record_count++] = (struct note) {thread, group, (long) communicator, rank, calls, text};
    } else {
        free(text);
    }
    pthread_mutex_unlock(&lock);
}

#define LOCKED(type, expression)                                                                                                                     \
    pthread_mutex_lock(&lock);                                                                                                                       \
    type locked = expression;                                                                                                                        \
    pthread_mutex_unlock(&lock);                                                                                                                     \
    return locked;

int polls_wanted(void) { LOCKED(int, polls) }
int version_wanted(void) { LOCKED(int, version) }
int duplicates_refused(void) { LOCKED(int, refuses_duplicates) }
int patience(void) { LOCKED(int, patience_millis) }
int is_held(int rank, int at_end) { LOCKED(int, at_end ? held_ends[rank] : held_starts[rank]) }
int delay_of(int rank) { LOCKED(int, delays[rank]) }

static int copy_text(const char *from, char *text, int bytes) {
    snprintf(text, bytes, "%s", from);
    return (int) strlen(from) + 1;
}

/* The n-th fault. Returns its bytes; 0 if there is none. */
EXPORT int double_nccl_fault_text(int index, char *text, int bytes) {
    LOCKED(int, index < fault_count ? copy_text(faults[index], text, bytes) : 0)
}

EXPORT int double_nccl_records(void) { LOCKED(int, record_count) }

/* The n-th record: thread, group, communicator, rank, calls; returns the bytes of its text, 0 if there is none. */
EXPORT int double_nccl_record(int index, long *numbers, char *text, int bytes) {
    pthread_mutex_lock(&lock);
    int length = 0;
    if (index < record_count) {
        memcpy(numbers, &records[index], 5 * sizeof(long));
        length = copy_text(records[index].text, text, bytes);
    }
    pthread_mutex_unlock(&lock);
    return length;
}

/* How often a function was called; its name has no prefix. */
EXPORT long double_nccl_calls(const char *function) {
    pthread_mutex_lock(&lock);
    long calls = 0;
    for (int i = 0; i < MOST_FUNCTIONS && counts[i].function != NULL; i++) {
        calls += strcmp(counts[i].function, function) == 0 ? counts[i].calls : 0;
    }
    pthread_mutex_unlock(&lock);
    return calls;
}

/* The call of a function, or "launch" for work on a stream, after so many others returns that result; rank -1 is any. That
   it is in progress (7) keeps no call, and no end of a group, from its work. */
EXPORT void double_nccl_plan(const char *function, int rank, int result, int after) {
    pthread_mutex_lock(&lock);
    if (plan_count < MOST_PLANS) {
        struct plan *plan = &plans[plan_count++];
        snprintf(plan->function, sizeof(plan->function), "%s", function);
        plan->rank = rank;
        plan->result = result;
        plan->after = after;
    }
    pthread_mutex_unlock(&lock);
}

/* Calls of that function block until another is named, or none (""). */
EXPORT void double_nccl_hold_call(const char *function) {
    pthread_mutex_lock(&lock);
    snprintf(held_function, sizeof(held_function), "%s", function);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Returns when that many calls are held. */
EXPORT void double_nccl_await_held(int calls) {
    pthread_mutex_lock(&lock);
    while (waiting_in_held < calls) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void set(int *of_ranks, int rank, int value) {
    for (int i = 0; i < MOST_RANKS; i++) {
        of_ranks[i] = rank == ANY || rank == i ? value : of_ranks[i];
    }
}

/* Work on streams of a rank does not begin (an abort ends it nevertheless), or does not leave its stream when it has ended. */
EXPORT void double_nccl_hold(int rank, int starts, int ends) {
    pthread_mutex_lock(&lock);
    set(held_starts, rank, starts);
    set(held_ends, rank, ends);
    pthread_mutex_unlock(&lock);
}

EXPORT void double_nccl_delay(int rank, int micros) {
    pthread_mutex_lock(&lock);
    set(delays, rank, micros);
    pthread_mutex_unlock(&lock);
}

/* How often a communicator that does not block says that it is in progress, at least; what version it is; whether it refuses two ranks of one
   GPU; and after how many milliseconds waiting for others is a fault. Negative: as it was. */
EXPORT void double_nccl_set(int new_polls, int new_version, int new_duplicates, int new_patience) {
    pthread_mutex_lock(&lock);
    polls = new_polls < 0 ? polls : new_polls;
    version = new_version < 0 ? version : new_version;
    refuses_duplicates = new_duplicates < 0 ? refuses_duplicates : new_duplicates;
    patience_millis = new_patience < 0 ? patience_millis : new_patience;
    pthread_mutex_unlock(&lock);
}

/*
 * For processes of which tests reach the environment only: DOUBLE_NCCL_VERSION is the version, and two ranks of one GPU are refused though they are two
 * processes, as the real one does unless it is told otherwise, which it knows from 2.30.3 on.
 */
__attribute__((constructor)) static void begin(void) {
    const char *wanted = getenv("DOUBLE_NCCL_VERSION"), *sharing = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    if (wanted != NULL) {
        version = atoi(wanted);
        refuses_duplicates = version >= 23003 && sharing != NULL && strcmp(sharing, "1") == 0 ? 0 : BETWEEN_PROCESSES;
    }
}

/* Forgets faults, records, counts and all that it was told. */
EXPORT void double_nccl_clear(void) {
    pthread_mutex_lock(&lock);
    while (fault_count > 0) {
        free(faults[--fault_count]);
    }
    while (record_count > 0) {
        free(records[--record_count].text);
    }
    memset(counts, 0, sizeof(counts));
    plan_count = 0;
    held_function[0] = 0;
    set(held_starts, ANY, 0);
    set(held_ends, ANY, 0);
    set(delays, ANY, 0);
    polls = 1;
    version = NEWEST;
    refuses_duplicates = patience_millis = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
