/* What all functions of MPI begin and end with. */
#include "arithmetic.h"
#include "process.h"

int is_initialized, is_finalized;

int enter(const char *name) {
    if (meeting == NULL) {
        return ERROR_RELEASED;
    }
    pthread_mutex_lock(&meeting->lock);
    int code = meeting->is_released ? ERROR_RELEASED : 0;
    if (code == 0 && (!is_initialized || is_finalized)) {
        code = fault(meeting, own_rank, "%s %s", name, is_finalized ? "after MPI_Finalize" : "before MPI_Init_thread");
    }
    if (code != 0) {
        pthread_mutex_unlock(&meeting->lock);
    }
    return code;
}

int leave(int code) {
    pthread_mutex_unlock(&meeting->lock);
    return code;
}

struct comm *comm_of(handle value) {
    return number_of(KIND_COMM, value) == 0 ? meeting->world : object_of(KIND_COMM, value);
}

int member_of(const struct comm *comm) {
    int member = 0;
    while (comm->members[member] != own_rank) {
        member++;
    }
    return member;
}

int unknown(const char *name, const char *what) { return fault(meeting, own_rank, "%s: %s is none of this process in %s", name, what, DIALECT_NAME); }

int resolve(struct call *call, handle comm, const handle *type, const handle *to_type, const handle *op) {
    char name[64];
    name_of(call, name);
    call->comm = comm_of(comm);
    if (call->comm == NULL) {
        return unknown(name, "the communicator");
    }
    call->world_rank = own_rank;
    call->member = member_of(call->comm);
    if (!call->comm->returns_errors[call->member]) {
        return fault(meeting, own_rank, "%s: an error would end the process, as its communicator has no MPI_ERRORS_RETURN", name);
    }
    if (call->root < 0 || call->root >= call->comm->size || call->count < 0 || call->to_count < 0) {
        return fault(meeting, own_rank, "%s: root=%d, count=%d, %d", name, call->root, call->count, call->to_count);
    }
    if (type != NULL) {
        int number = number_of(KIND_TYPE, *type), other = to_type == NULL ? number : number_of(KIND_TYPE, *to_type);
        if (number < 0 || other < 0) {
            return unknown(name, "the type");
        }
        call->has_type = 1;
        call->type = number;
        if (number != other) {
            return fault(meeting, own_rank, "%s: two types", name);
        }
    }
    if (op != NULL) {
        int number = number_of(KIND_OP, *op);
        if (number < 0) {
            return unknown(name, "the operation");
        }
        call->has_op = 1;
        call->op = number;
        if (!is_defined(call->op, call->type)) {
            return fault(meeting, own_rank, "%s: that operation is not defined for that type", name);
        }
    }
    return 0;
}

int outcome(struct call *call, struct comm **made) {
    while ((!call->is_done || meeting->is_stopped[own_rank]) && !meeting->is_released) {
        await_change(meeting);
    }
    int code = call->is_done ? call->code : ERROR_RELEASED;
    if (made != NULL) {
        *made = call->made;
    }
    if (call->is_done) {
        forget_call(meeting, call);
    }
    return code;
}
