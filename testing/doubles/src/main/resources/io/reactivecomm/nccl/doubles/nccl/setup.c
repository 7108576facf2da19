/* Versions, errors, communicators and memory. */
#define _GNU_SOURCE
#include "comm.h"
#include "stream.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char MAGIC_TEXT[] = "rcomm double";

EXPORT int NAME(GetVersion)(int *version) {
    enum result result = entered("GetVersion", -1);
    if (version == NULL) {
        return outgoing(fault(ARGUMENT, "GetVersion: a null pointer"));
    }
    *version = version_wanted();
    return outgoing(result);
}

static enum result fill_id(unique_id *id) {
    memset(id, 0, sizeof(*id));
    memcpy(id->bytes, MAGIC_TEXT, sizeof(MAGIC_TEXT));
    return getrandom(id->bytes + 16, ID_BYTES - 16, 0) == ID_BYTES - 16 ? SUCCESS : SYSTEM_ERROR;
}

EXPORT int NAME(GetUniqueId)(unique_id *id) {
    enum result result = entered("GetUniqueId", -1);
    if (id == NULL) {
        return outgoing(fault(ARGUMENT, "GetUniqueId: a null pointer"));
    }
    return outgoing(result == SUCCESS ? fill_id(id) : result);
}

EXPORT const char *NAME(GetErrorString)(int number) {
    static const char *const texts[] = {"no error", "unhandled cuda error", "unhandled system error", "internal error", "invalid argument",
            "invalid usage",
            "remote process exited or there was a network error", "operation in progress", "timeout"};
    for (int i = 0; i < RESULTS; i++) {
        if (outgoing(i) == number) {
            return texts[i];
        }
    }
    return "unknown result code";
}

WEAK const char *NAME(GetLastError)(const struct comm *comm) {
    (void) comm;
    return last_error();
}

/* All of an id comes through, not only its beginning. */
static enum result check_id(const unique_id *id) {
    int is_known = id != NULL && memcmp(id->bytes, MAGIC_TEXT, sizeof(MAGIC_TEXT)) == 0;
    return is_known ? SUCCESS : fault(ARGUMENT, "CommInitRank: no unique id of this library");
}

struct config {
    size_t size;
    unsigned magic, version;
    int blocking, others[3];
    const char *net_name;
    int share, more;
    uint64_t further;
};

/* Returns whether it blocks; -1 if it is not as programs fill it that know the layout of this width. */
static int blocks(const struct config *config) {
    if (config == NULL) {
        return 1;
    }
    int is_known = config->size == CONFIG_BYTES && config->magic == 0xcafebeef && (config->version == 21800 || config->version == NEWEST);
    is_known = is_known && config->others[0] == INT_MIN && config->others[1] == INT_MIN && config->others[2] == INT_MIN && config->net_name == NULL
            && config->share == INT_MIN && config->more == INT_MIN && (CONFIG_BYTES == 48 || config->further == 0);
    if (!is_known || (config->blocking != INT_MIN && config->blocking != 0 && config->blocking != 1)) {
        fault(ARGUMENT, "a configuration is not as it should be: size=%zu, magic=%x, version=%u, blocking=%d", config->size, config->magic,
                config->version,
                config->blocking);
        return -1;
    }
    return config->blocking != 0;
}

static enum result check_place(const char *function, struct comm **place) {
    if (is_grouped()) {
        return fault(USAGE, "%s: the double makes no communicators in a group", function);
    }
    return place == NULL ? fault(ARGUMENT, "%s: a null pointer", function) : SUCCESS;
}

static enum result begin(const char *function, struct comm **place, int size, const unique_id *id, int rank, const struct config *config) {
    struct comm *made = NULL;
    int is_blocking = blocks(config);
    enum result result = entered(function, rank);
    result = result == SUCCESS ? check_place(function, place) : result;
    result = result == SUCCESS ? check_id(id) : result;
    if (result != SUCCESS || is_blocking < 0) {
        return result == SUCCESS ? ARGUMENT : result;
    }
    lock_comms();
    result = join(&made, hash_of(HASH_START, id->bytes, ID_BYTES), size, rank, is_blocking);
    if (result != SUCCESS) {
        unlock_comms();
        return result;
    }
    *place = is_blocking ? NULL : made;
    result = settled(made);
    if (result != SUCCESS && result != IN_PROGRESS) {
        *place = NULL;
        lock_comms();
        unlink_segment(made->name);
        made->life = DESTROYED;
        free_if_idle(made);
        unlock_comms();
        return result;
    }
    *place = made;
    return result;
}

EXPORT int NAME(CommInitRank)(struct comm **place, rank_count size, unique_id id, int rank) {
    return outgoing(begin("CommInitRank", place, (int) size, &id, rank, NULL));
}

WEAK int NAME(CommInitRankConfig)(struct comm **place, rank_count size, unique_id id, int rank, const struct config *config) {
    if (config == NULL) {
        return outgoing(fault(ARGUMENT, "CommInitRankConfig: a null pointer"));
    }
    return outgoing(begin("CommInitRankConfig", place, (int) size, &id, rank, config));
}

/* With the lock on success. */
static enum result enter_parent(const char *function, struct comm *comm, struct comm **place, int may_have_failed) {
    lock_comms();
    int rank = is_comm(comm) ? comm->rank : -1;
    unlock_comms();
    enum result result = entered(function, rank);
    result = result == SUCCESS ? check_place(function, place) : result;
    if (result != SUCCESS) {
        return result;
    }
    lock_comms();
    int is_excused = may_have_failed && is_comm(comm) && !is_over(comm) && comm->task == NOTHING;
    result = is_excused ? SUCCESS : usable(comm, function);
    if (result != SUCCESS) {
        unlock_comms();
    }
    return result;
}

static enum result begin_task(struct comm *comm, enum task task, struct comm **place) {
    comm->task = task;
    comm->place = place;
    comm->polls = comm->is_blocking ? 0 : polls_wanted();
    return settled(comm);
}

WEAK int NAME(CommSplit)(struct comm *comm, int color, int key, struct comm **place, const struct config *config) {
    enum result result = enter_parent("CommSplit", comm, place, 0);
    if (result != SUCCESS) {
        return outgoing(result);
    }
    if (comm->running > 0) {
        unlock_comms();
        return outgoing(fault(USAGE, "CommSplit: calls of the communicator are under way: rank=%d", comm->rank));
    }
    if (color < -1 || config != NULL) {
        unlock_comms();
        return outgoing(fault(ARGUMENT, "CommSplit: color=%d, or a configuration: rank=%d", color, comm->rank));
    }
    struct rank_area *own = &comm->shared->ranks[comm->rank];
    uint32_t number = ++comm->splits;
    own->splits[number & 1].color = comm->color = color;
    own->splits[number & 1].key = key;
    own->split_step = number;
    ring(comm->shared);
    return outgoing(begin_task(comm, SPLIT, place));
}

/* Returns the rank in the child, or -1 if a list is not as it should be. */
static int rank_without(const struct comm *comm, const int *excluded, int count) {
    int rank = comm->rank;
    for (int i = 0; i < count; i++) {
        if (excluded[i] < 0 || excluded[i] >= comm->size || excluded[i] == comm->rank || (i > 0 && excluded[i] <= excluded[i - 1])) {
            return -1;
        }
        rank -= excluded[i] < comm->rank;
    }
    return rank;
}

WEAK int NAME(CommShrink)(struct comm *comm, int *excluded, int count, struct comm **place, const struct config *config, int flags) {
    enum result result = enter_parent("CommShrink", comm, place, flags == 1);
    if (result != SUCCESS) {
        return outgoing(result);
    }
    int rank = excluded == NULL || count < 1 || config != NULL || flags < 0 || flags > 1 ? -1 : rank_without(comm, excluded, count);
    if (rank < 0) {
        unlock_comms();
        return outgoing(fault(ARGUMENT, "CommShrink: excluded=%d, flags=%d, or a configuration: rank=%d", count, flags, comm->rank));
    }
    if (flags == 1) {
        end_work(comm);
    }
    comm->children++;
    uint64_t name = hash_of(hash_of(comm->name, &comm->children, sizeof(int)), excluded, count * sizeof(int));
    result = join(&comm->child, name, comm->size - count, rank, comm->is_blocking);
    if (result != SUCCESS) {
        unlock_comms();
        return outgoing(result);
    }
    return outgoing(begin_task(comm, CHILD, place));
}

WEAK int NAME(CommGetUniqueId)(struct comm *comm, unique_id *id) {
    enum result result = enter_parent("CommGetUniqueId", comm, (struct comm **) id, 0);
    if (result == SUCCESS) {
        result = fill_id(id);
        unlock_comms();
    }
    return outgoing(result);
}

WEAK int NAME(CommGrow)(struct comm *comm, int size, const unique_id *id, int rank, struct comm **place, const struct config *config) {
    if (comm == NULL) {
        return outgoing(begin("CommGrow", place, size, id, rank, config));
    }
    enum result result = enter_parent("CommGrow", comm, place, 0);
    if (result != SUCCESS) {
        return outgoing(result);
    }
    if (rank != -1 || size <= comm->size || blocks(config) < 0 || check_id(id) != SUCCESS) {
        unlock_comms();
        return outgoing(fault(ARGUMENT, "CommGrow: rank=%d of a member, size=%d, was=%d, or the id or configuration", rank, size, comm->size));
    }
    result = join(&comm->child, hash_of(HASH_START, id->bytes, ID_BYTES), size, comm->rank, comm->is_blocking);
    if (result != SUCCESS) {
        unlock_comms();
        return outgoing(result);
    }
    return outgoing(begin_task(comm, CHILD, place));
}
