/* The functions of MPI that are no calls: communicators, and its beginning and end. */
#include "process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int levels[] = LEVELS;

/* Of functions without a communicator. */
static int self_returns_errors;

/* Communicators */

EXPORT int MPI_Comm_rank(handle comm, int *rank) {
    int code = enter("MPI_Comm_rank");
    if (code != 0) {
        return code;
    }
    struct comm *known = comm_of(comm);
    if (known == NULL) {
        return leave(unknown("MPI_Comm_rank", "the communicator"));
    }
    *rank = member_of(known);
    return leave(0);
}

EXPORT int MPI_Comm_size(handle comm, int *size) {
    int code = enter("MPI_Comm_size");
    if (code != 0) {
        return code;
    }
    struct comm *known = comm_of(comm);
    if (known == NULL) {
        return leave(unknown("MPI_Comm_size", "the communicator"));
    }
    *size = known->size;
    return leave(0);
}

EXPORT int MPI_Comm_set_errhandler(handle comm, handle handler) {
    int code = enter("MPI_Comm_set_errhandler");
    if (code != 0) {
        return code;
    }
    if (number_of(KIND_SELF, comm) == 0) {
        self_returns_errors = number_of(KIND_ERRHANDLER, handler) >= 0;
        return leave(0);
    }
    struct comm *known = comm_of(comm);
    if (known == NULL || number_of(KIND_ERRHANDLER, handler) < 0) {
        return leave(unknown("MPI_Comm_set_errhandler", known == NULL ? "the communicator" : "the handler"));
    }
    known->returns_errors[member_of(known)] = 1;
    return leave(0);
}

static handle new_group(int size, const int *members) {
    struct group *group = malloc(sizeof(struct group));
    group->size = size;
    memcpy(group->members, members, size * sizeof(int));
    return new_handle(KIND_GROUP, group);
}

EXPORT int MPI_Comm_group(handle comm, handle *group) {
    int code = enter("MPI_Comm_group");
    if (code != 0) {
        return code;
    }
    struct comm *known = comm_of(comm);
    if (known == NULL) {
        return leave(unknown("MPI_Comm_group", "the communicator"));
    }
    *group = new_group(known->size, known->members);
    return leave(0);
}

EXPORT int MPI_Group_incl(handle group, int size, const int *ranks, handle *made) {
    int code = enter("MPI_Group_incl");
    if (code != 0) {
        return code;
    }
    struct group *known = object_of(KIND_GROUP, group);
    if (known == NULL) {
        return leave(unknown("MPI_Group_incl", "the group"));
    }
    if (!self_returns_errors) {
        return leave(fault(meeting, own_rank, "MPI_Group_incl: an error of MPI_COMM_SELF would end the process"));
    }
    int members[MOST_RANKS];
    for (int i = 0; i < size; i++) {
        if (ranks[i] < 0 || ranks[i] >= known->size) {
            return leave(fault(meeting, own_rank, "MPI_Group_incl: rank %d of %d", ranks[i], known->size));
        }
        members[i] = known->members[ranks[i]];
    }
    *made = new_group(size, members);
    return leave(0);
}

EXPORT int MPI_Group_free(handle *group) {
    int code = enter("MPI_Group_free");
    if (code != 0) {
        return code;
    }
    struct group *known = object_of(KIND_GROUP, *group);
    if (known == NULL) {
        return leave(unknown("MPI_Group_free", "the group"));
    }
    free(known);
    free_handle(*group);
    *group = GROUP_NULL;
    return leave(0);
}

static handle counted(struct comm *comm) {
    meeting->comms_of[own_rank]++;
    return new_handle(KIND_COMM, comm);
}

EXPORT int MPI_Comm_create_group(handle parent, handle group, int tag, handle *made) {
    int code = enter("MPI_Comm_create_group");
    if (code != 0) {
        return code;
    }
    struct comm *known = comm_of(parent);
    struct group *members = object_of(KIND_GROUP, group);
    if (known == NULL || members == NULL || tag < 0 || tag > 32767) {
        return leave(unknown("MPI_Comm_create_group", known == NULL ? "the communicator" : members == NULL ? "the group" : "the tag"));
    }
    struct comm *comm;
    code = make_comm(meeting, known, own_rank, members->size, members->members, tag, &comm);
    if (code == 0) {
        *made = counted(comm);
    }
    return leave(code);
}

/* A function of all members of a communicator, which blocks. */
static int together(enum function function, handle comm, struct comm **made) {
    struct call wanted = CALL(.function = function, .is_blocking = 1);
    int code = resolve(&wanted, comm, NULL, NULL, NULL);
    if (code != 0) {
        return code;
    }
    struct call *call = malloc(sizeof(struct call));
    *call = wanted;
    code = begin_call(meeting, call);
    return code != 0 ? code : outcome(call, made);
}

EXPORT int MPI_Comm_dup(handle comm, handle *made) {
    int code = enter("MPI_Comm_dup");
    if (code != 0) {
        return code;
    }
    struct comm *copy;
    code = together(F_COMM_DUP, comm, &copy);
    if (code == 0) {
        *made = counted(copy);
    }
    return leave(code);
}

EXPORT int MPI_Comm_free(handle *comm) {
    int code = enter("MPI_Comm_free");
    if (code != 0) {
        return code;
    }
    if (number_of(KIND_COMM, *comm) == 0) {
        return leave(fault(meeting, own_rank, "MPI_Comm_free of MPI_COMM_WORLD"));
    }
    code = together(F_COMM_FREE, *comm, NULL);
    if (code == 0) {
        free_handle(*comm);
        *comm = COMM_NULL;
        meeting->comms_of[own_rank]--;
    }
    return leave(code);
}

/* Beginning and end */

EXPORT int MPI_Initialized(int *flag) {
    *flag = is_initialized;
    return 0;
}

EXPORT int MPI_Finalized(int *flag) {
    *flag = is_finalized;
    return 0;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided) {
    if (meeting == NULL || argc != NULL || argv != NULL) {
        return ERROR_RELEASED;
    }
    pthread_mutex_lock(&meeting->lock);
    if (is_initialized || wanted != levels[3]) {
        return leave(fault(meeting, own_rank, "MPI_Init_thread: again=%d, wanted=%d", is_initialized, wanted));
    }
    is_initialized = 1;
    meeting->initialized++;
    pthread_cond_broadcast(&meeting->changed);
    while (meeting->initialized < meeting->size && !meeting->is_released) {
        await_change(meeting);
    }
    *provided = levels[meeting->level];
    return leave(meeting->is_released ? ERROR_RELEASED : 0);
}

EXPORT int MPI_Query_thread(int *provided) {
    *provided = levels[meeting == NULL ? 0 : meeting->level];
    return 0;
}

EXPORT int MPI_Finalize(void) {
    int code = enter("MPI_Finalize");
    if (code != 0) {
        return code;
    }
    if (handles_of(KIND_REQUEST) > 0 || handles_of(KIND_GROUP) > 0) {
        return leave(fault(meeting, own_rank, "MPI_Finalize with %d requests and %d groups", handles_of(KIND_REQUEST), handles_of(KIND_GROUP)));
    }
    struct call wanted = CALL(.function = F_FINALIZE, .is_blocking = 1, .comm = meeting->world, .member = own_rank, .world_rank = own_rank);
    struct call *call = malloc(sizeof(struct call));
    *call = wanted;
    code = begin_call(meeting, call);
    if (code == 0) {
        code = outcome(call, NULL);
    }
    if (code == 0) {
        is_finalized = 1;
        meeting->finalized++;
    }
    return leave(code);
}

EXPORT int MPI_Error_string(int code, char *text, int *length) {
    if (code == ERROR_RELEASED) {
        *length = sprintf(text, "the double has been released");
    } else if (code == ERROR_WAIT) {
        *length = sprintf(text, "what was waited for goes on");
    } else if (code == ERROR_COMMUNICATORS) {
        *length = sprintf(text, "Too many communicators (0/%d free on this process)", meeting->most_comms);
    } else {
        *length = sprintf(text, "%s", meeting->texts[code - ERROR_FAULT]);
    }
    return 0;
}

EXPORT int MPI_Get_library_version(char *text, int *length) {
    *length = sprintf(text, "a double of %s", DIALECT_NAME);
    return 0;
}
