#define _GNU_SOURCE
#include "comm.h"
#include "stream.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct comm *comms;

void lock_comms(void) { pthread_mutex_lock(&lock); }

void unlock_comms(void) { pthread_mutex_unlock(&lock); }

struct comm *first_comm(void) { return comms; }

int is_comm(const struct comm *comm) {
    for (const struct comm *each = comms; each != NULL; each = each->next) {
        if (each == comm) {
            return 1;
        }
    }
    return 0;
}

enum result usable(struct comm *comm, const char *function) {
    if (!is_comm(comm)) {
        return fault(ARGUMENT, "%s: no such communicator: %p", function, (void *) comm);
    }
    if (is_over(comm) || comm->life == FINALIZED) {
        static const char *const lives[] = {"", "finalized", "", "destroyed", "aborted"};
        return fault(ARGUMENT, "%s: the communicator was %s: rank=%d", function, lives[comm->life], comm->rank);
    }
    if (comm->task != NOTHING) {
        return fault(ARGUMENT, "%s: the communicator is in progress, and has not been asked since: rank=%d", function, comm->rank);
    }
    enum result state = progress(comm);
    return state == SUCCESS ? SUCCESS : failure(state, "%s: the communicator has failed: %s", function, comm->shared->failure);
}

static enum result joined_wrongly(struct comm *comm, const char *why) {
    comm->life = DESTROYED;
    unlink_segment(comm->name);
    fail_segment(comm->shared, ARGUMENT, why);
    free_if_idle(comm);
    return fault(ARGUMENT, "CommInitRank: %s: rank=%d, size=%d", why, comm->rank, comm->size);
}

static enum result enter_segment(struct comm *comm) {
    uint32_t none = 0;
    struct segment *shared = comm->shared;
    struct rank_area *own = &shared->ranks[comm->rank];
    atomic_compare_exchange_strong(&shared->size, &none, comm->size);
    if (shared->size != (uint32_t) comm->size) {
        return joined_wrongly(comm, "ranks differ in the size");
    }
    own->pid = getpid();
    own->device = comm->device;
    uint32_t first = 0;
    if (!atomic_compare_exchange_strong(&own->arrived, &first, 1)) {
        return joined_wrongly(comm, "a rank comes twice, or a unique id is used twice");
    }
    ring(shared);
    return SUCCESS;
}

static int is_used_up(uint64_t name, int rank) {
    for (struct comm *each = comms; each != NULL; each = each->next) {
        if (each->name == name && each->rank == rank) {
            return 1;
        }
    }
    return 0;
}

enum result join(struct comm **made, uint64_t name, int size, int rank, int is_blocking) {
    if (size < 1 || size > MOST_RANKS || rank < 0 || rank >= size) {
        return fault(ARGUMENT, "CommInitRank: no such rank: rank=%d, size=%d", rank, size);
    }
    if (is_used_up(name, rank)) {
        return fault(ARGUMENT, "CommInitRank: a rank comes twice, or a unique id is used twice: rank=%d, size=%d", rank, size);
    }
    struct comm *comm = calloc(1, sizeof(struct comm));
    *comm = (struct comm) {.name = name, .size = size, .rank = rank, .device = current_device(), .is_blocking = is_blocking};
    comm->shared = open_segment(name);
    if (comm->shared == NULL) {
        free(comm);
        return failure(SYSTEM_ERROR, "CommInitRank: the memory where the ranks meet cannot be had");
    }
    comm->next = comms;
    comms = comm;
    if (comm->device < 0) {
        return joined_wrongly(comm, "no CUDA context is current");
    }
    enum result result = enter_segment(comm);
    if (result == SUCCESS) {
        comm->task = JOIN;
        comm->polls = is_blocking ? 0 : polls_wanted();
        *made = comm;
    }
    return result;
}

static int all_have(struct comm *comm, uint32_t splits) {
    for (int i = 0; i < comm->size; i++) {
        struct rank_area *each = &comm->shared->ranks[i];
        if (splits == 0 ? !each->arrived : each->split_step < splits) {
            return 0;
        }
    }
    return 1;
}

static enum result check_devices(struct comm *comm) {
    for (int i = 0; duplicates_refused() && i < comm->size; i++) {
        struct rank_area *own = &comm->shared->ranks[comm->rank], *each = &comm->shared->ranks[i];
        if (i != comm->rank && (each->pid == own->pid || duplicates_refused() == BETWEEN_PROCESSES) && each->device == own->device) {
            fail_segment(comm->shared, USAGE, "Duplicate GPU detected");
            return failure(USAGE, "Duplicate GPU detected : rank %d and rank %d both on CUDA device %d", comm->rank, i, own->device);
        }
    }
    return SUCCESS;
}

/* The child of those with this rank's color, by key and then by rank. */
static enum result begin_child(struct comm *comm) {
    int parity = comm->splits & 1, size = 0, rank = 0;
    struct rank_area *own = &comm->shared->ranks[comm->rank];
    uint64_t name = hash_of(comm->name, &comm->splits, sizeof(comm->splits));
    name = hash_of(name, &comm->color, sizeof(comm->color));
    for (int i = 0; i < comm->size; i++) {
        struct rank_area *each = &comm->shared->ranks[i];
        if (each->splits[parity].color == comm->color) {
            int key = each->splits[parity].key, own_key = own->splits[parity].key;
            size++;
            rank += key < own_key || (key == own_key && i < comm->rank);
        }
    }
    return join(&comm->child, name, size, rank, comm->is_blocking);
}

static enum result progress_of_task(struct comm *comm) {
    enum result result;
    switch (comm->task) {
        case JOIN:
            if (!all_have(comm, 0)) {
                return IN_PROGRESS;
            }
            unlink_segment(comm->name);
            comm->task = NOTHING;
            return check_devices(comm);
        case SPLIT:
            if (!all_have(comm, comm->splits)) {
                return IN_PROGRESS;
            }
            if (comm->color < 0) {
                *comm->place = NULL;
                comm->task = NOTHING;
                return SUCCESS;
            }
            result = begin_child(comm);
            comm->task = result == SUCCESS ? CHILD : NOTHING;
            return result == SUCCESS ? IN_PROGRESS : result;
        case CHILD:
            result = progress(comm->child);
            if (result != IN_PROGRESS) {
                *comm->place = comm->child;
                comm->task = NOTHING;
            }
            return result;
        case LAUNCH:
            comm->task = NOTHING;
            return give_to_stream(comm->deferred);
        default:
            return SUCCESS;
    }
}

static int has_lost_a_rank(struct comm *comm) {
    for (int i = 0; i < comm->size; i++) {
        if (i != comm->rank && comm->shared->ranks[i].gone) {
            return 1;
        }
    }
    return 0;
}

enum result progress(struct comm *comm) {
    if (comm->life == ABORTED) {
        return failure(USAGE, "the communicator was aborted meanwhile: rank=%d", comm->rank);
    }
    if (comm->task == CHILD) {
        return progress_of_task(comm);
    }
    if (comm->shared->failed != SUCCESS) {
        /* Who joins has the reason from whichever rank found it, as each would have found it alone. */
        return comm->task == JOIN ? failure(comm->shared->failed, "%s", comm->shared->failure) : comm->shared->failed;
    }
    if (comm->life == ALIVE && has_lost_a_rank(comm)) {
        return failure(REMOTE, "another rank has aborted: rank=%d", comm->rank);
    }
    if (comm->task != NOTHING && comm->polls > 0) {
        comm->polls--;
        return IN_PROGRESS;
    }
    if (comm->life == FINALIZED && comm->running > 0) {
        return IN_PROGRESS;
    }
    return progress_of_task(comm);
}

static enum result wait_until_settled(struct comm *comm) {
    long since = 0;
    for (;;) {
        lock_comms();
        struct segment *shared = !is_over(comm) && comm->task == CHILD ? comm->child->shared : comm->shared;
        uint32_t reading = shared->bell;
        enum result result = progress(comm);
        unlock_comms();
        if (result != IN_PROGRESS) {
            return result;
        }
        await_ring(shared, reading);
        if (is_too_long(&since)) {
            return fault(TIMEOUT, "a communicator waits for ranks that do not come: rank=%d, size=%d", comm->rank, comm->size);
        }
    }
}

enum result settled(struct comm *comm) {
    if (!comm->is_blocking) {
        unlock_comms();
        return IN_PROGRESS;
    }
    comm->running++;
    unlock_comms();
    enum result result = wait_until_settled(comm);
    let_go(comm);
    return result;
}

int is_too_long(long *since) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long millis = now.tv_sec * 1000 + now.tv_nsec / 1000000;
    *since = *since == 0 ? millis : *since;
    return patience() > 0 && millis - *since > patience();
}

int is_over(const struct comm *comm) { return comm->life == DESTROYED || comm->life == ABORTED; }

void free_if_idle(struct comm *comm) {
    if (is_over(comm) && comm->running == 0 && comm->shared != NULL) {
        close_segment(comm->shared);
        comm->shared = NULL;
    }
}

void let_go(struct comm *comm) {
    lock_comms();
    atomic_fetch_sub(&comm->running, 1);
    ring(comm->shared);
    free_if_idle(comm);
    unlock_comms();
}

/* The one that waits is one of those who keep the memory. */
void await_idle(struct comm *comm) {
    comm->running++;
    for (uint32_t reading = comm->shared->bell; comm->running > 1; reading = comm->shared->bell) {
        await_ring(comm->shared, reading);
    }
    let_go(comm);
}

void end_work(struct comm *comm) {
    comm->is_ended = 1;
    ring(comm->shared);
}
