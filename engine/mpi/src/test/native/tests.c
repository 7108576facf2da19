/* What tests call. */
#include "process.h"
#include <stdlib.h>
#include <string.h>

EXPORT void *double_open(int size) {
    struct meeting *opened = calloc(1, sizeof(struct meeting));
    int all[MOST_RANKS];
    for (int i = 0; i < MOST_RANKS; i++) {
        all[i] = i;
    }
    pthread_mutex_init(&opened->lock, NULL);
    pthread_cond_init(&opened->changed, NULL);
    opened->size = size;
    opened->most_comms = 2048;
    opened->level = 3;
    opened->world = new_comm(opened, size, all);
    return opened;
}

EXPORT void double_join(void *opened, int rank) {
    meeting = opened;
    own_rank = rank;
}

/* The most communicators of a process, and the level of threads, from 0 to 3. */
EXPORT void double_set(struct meeting *which, int most_comms, int level) {
    pthread_mutex_lock(&which->lock);
    which->most_comms = most_comms;
    which->level = level;
    pthread_mutex_unlock(&which->lock);
}

/* Has it reach memory of devices by the double of CUDA, and say that it takes their addresses or not. */
EXPORT void double_use_cuda(struct meeting *which, int claims, void *(*map)(uint64_t, uint64_t), int (*knows)(uint64_t, uint64_t), int (*context)(void)) {
    pthread_mutex_lock(&which->lock);
    which->claims_cuda = claims;
    which->cuda_map = map;
    which->cuda_knows = knows;
    which->cuda_context = context;
    pthread_mutex_unlock(&which->lock);
}

EXPORT void double_fail_waits(struct meeting *which, int are_failing) {
    pthread_mutex_lock(&which->lock);
    which->are_waits_failing = are_failing;
    pthread_mutex_unlock(&which->lock);
}

EXPORT void double_stop(struct meeting *which, int rank, int is_stopped) {
    pthread_mutex_lock(&which->lock);
    which->is_stopped[rank] = is_stopped;
    go_on(which);
    pthread_mutex_unlock(&which->lock);
}

/* Ends all that waits, now and later, with an error. */
EXPORT void double_release(struct meeting *which) {
    pthread_mutex_lock(&which->lock);
    which->is_released = 1;
    pthread_cond_broadcast(&which->changed);
    pthread_mutex_unlock(&which->lock);
}

/* The n-th fault; returns whether there is one. */
EXPORT int double_fault(struct meeting *which, int n, char *text) {
    pthread_mutex_lock(&which->lock);
    int is_there = n < which->faults;
    if (is_there) {
        strcpy(text, which->texts[n]);
    }
    pthread_mutex_unlock(&which->lock);
    return is_there;
}

/* 0: processes that have begun, 1: that have ended, 2: threads that wait in a function, 3: communicators, 4: calls, of all processes, and 5: calls with memory of devices. */
EXPORT int double_count(struct meeting *which, int what) {
    pthread_mutex_lock(&which->lock);
    int comms = 0, pending = 0;
    for (int i = 0; i < MOST_RANKS; i++) {
        comms += which->comms_of[i];
        for (struct call *each = which->pending[i]; each != NULL; each = each->next_pending) {
            pending++;
        }
    }
    int counts[] = {which->initialized, which->finalized, which->blocked, comms, pending, which->device_calls};
    pthread_mutex_unlock(&which->lock);
    return counts[what];
}

/* For a process that makes no further call. */
EXPORT void double_leave(void) {
    forget_handles();
    meeting = NULL;
}

/* For a meeting that all have left. */
EXPORT void double_close(struct meeting *which) {
    for (struct comm *comm = which->comms, *next; comm != NULL; comm = next) {
        next = comm->next;
        for (struct slot *slot = comm->slots, *after; slot != NULL; slot = after) {
            after = slot->next;
            free(slot);
        }
        free(comm);
    }
    for (int i = 0; i < MOST_RANKS; i++) {
        while (which->pending[i] != NULL) {
            forget_call(which, which->pending[i]);
        }
    }
    free(which);
}
