/* Sends and receives of a group: all make progress at the same time, those between two ranks in their order. */
#define _GNU_SOURCE
#include "comm.h"
#include "stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A bundle is the messages of a group to one rank, or from one. */
struct bundles {
    struct launch *launch;
    /* By rank: what goes there, and what comes from there. */
    struct {
        int messages, at;
        size_t done;
        int is_noted;
        struct signature signature;
    } of[2][MOST_RANKS];
};

static enum kind kind_of(int incoming) { return incoming ? RECV : SEND; }

static struct call *next_call(struct bundles *all, int incoming, int peer) {
    int seen = 0;
    for (int i = 0; i < all->launch->count; i++) {
        struct call *each = &all->launch->calls[i];
        if (each->kind == kind_of(incoming) && each->peer == peer && seen++ == all->of[incoming][peer].at) {
            return each;
        }
    }
    return NULL;
}

static void sum_up(struct bundles *all) {
    for (int i = 0; i < all->launch->count; i++) {
        struct call *call = &all->launch->calls[i];
        if (is_message(call)) {
            int incoming = call->kind == RECV;
            struct signature *signature = &all->of[incoming][call->peer].signature;
            char text[128];
            snprintf(text, sizeof(text), "%zu of type %d;", call->count, call->type);
            size_t length = strlen(signature->text);
            signature->hash = hash_of(signature->hash == 0 ? HASH_START : signature->hash, text, strlen(text));
            snprintf(signature->text + length, TEXT - length, "%s", text);
            all->of[incoming][call->peer].messages++;
        }
    }
}

static int broken(struct comm *comm, enum result result, const char *text) {
    fault(result, "%s", text);
    fail_segment(comm->shared, result, text);
    return stay(comm);
}

static void skip_done(struct bundles *all, int incoming, int peer) {
    struct call *call = next_call(all, incoming, peer);
    while (call != NULL && all->of[incoming][peer].done == call->count * width_of(call->type)) {
        all->of[incoming][peer].at++;
        all->of[incoming][peer].done = 0;
        call = next_call(all, incoming, peer);
    }
}

/* Returns whether something has moved; -1 if the communicator has ended. */
static int send_piece(struct bundles *all, int peer) {
    struct comm *comm = all->launch->comm;
    struct pipe *pipe = &comm->shared->pipes[comm->rank][peer];
    if (pipe->written - pipe->taken >= 2) {
        return 0;
    }
    struct call *call = next_call(all, 0, peer);
    size_t bytes = call->count * width_of(call->type), *done = &all->of[0][peer].done;
    int place = pipe->written & 1;
    if (!all->of[0][peer].is_noted) {
        pipe->pieces[place].is_note = 1;
        memcpy(pipe->pieces[place].data, &all->of[0][peer].signature, sizeof(struct signature));
        all->of[0][peer].is_noted = 1;
    } else {
        const char *from = mapped(call->from, bytes);
        if (from == NULL) {
            return broken(comm, CUDA_ERROR, "memory was freed before the message in it was sent");
        }
        size_t count = bytes - *done < PIPE_PIECE ? bytes - *done : PIPE_PIECE;
        pipe->pieces[place].is_note = 0;
        pipe->pieces[place].bytes = count;
        memcpy(pipe->pieces[place].data, from + *done, count);
        *done += count;
    }
    atomic_fetch_add(&pipe->written, 1);
    ring(comm->shared);
    return 1;
}

static int check_note(struct comm *comm, const struct signature *sent, const struct signature *expected, int peer) {
    char text[3 * TEXT];
    if (sent->hash == expected->hash) {
        return 1;
    }
    snprintf(text, sizeof(text), "ranks cut messages differently: rank=%d sends %.900s in one group, rank=%d receives %.900s", peer, sent->text,
            comm->rank,
            expected->text);
    return broken(comm, USAGE, text);
}

static int receive_piece(struct bundles *all, int peer) {
    struct comm *comm = all->launch->comm;
    struct pipe *pipe = &comm->shared->pipes[peer][comm->rank];
    if (pipe->written == pipe->taken) {
        return 0;
    }
    int place = pipe->taken & 1;
    struct call *call = next_call(all, 1, peer);
    if (pipe->pieces[place].is_note) {
        struct signature sent;
        memcpy(&sent, pipe->pieces[place].data, sizeof(sent));
        all->of[1][peer].is_noted = 1;
        if (check_note(comm, &sent, &all->of[1][peer].signature, peer) < 0) {
            return -1;
        }
    } else {
        size_t count = pipe->pieces[place].bytes, *done = &all->of[1][peer].done;
        char *to = mapped(call->to, call->count * width_of(call->type));
        if (to == NULL) {
            return broken(comm, CUDA_ERROR, "memory was freed before the message for it came");
        }
        memcpy(to + *done, pipe->pieces[place].data, count);
        *done += count;
    }
    atomic_fetch_add(&pipe->taken, 1);
    ring(comm->shared);
    return 1;
}

/* Moves what can be moved. Returns the pieces moved, or -1; open counts the directions that have something left. */
static int move(struct bundles *all, int *open) {
    int moved = 0;
    *open = 0;
    for (int i = 0; i < 2 * all->launch->comm->size; i++) {
        int incoming = i & 1, peer = i >> 1;
        if (all->of[incoming][peer].messages == 0) {
            continue;
        }
        if (all->of[incoming][peer].is_noted) {
            skip_done(all, incoming, peer);
        }
        if (!all->of[incoming][peer].is_noted || next_call(all, incoming, peer) != NULL) {
            int step = incoming ? receive_piece(all, peer) : send_piece(all, peer);
            if (step < 0) {
                return -1;
            }
            moved += step;
            (*open)++;
        }
    }
    return moved;
}

int run_messages(struct launch *launch) {
    struct comm *comm = launch->comm;
    struct bundles *all = calloc(1, sizeof(struct bundles));
    long since = 0;
    int open = 1, moved = 0;
    all->launch = launch;
    sum_up(all);
    while (open > 0 && moved >= 0) {
        uint32_t reading = comm->shared->bell;
        moved = move(all, &open);
        if (open > 0 && moved == 0 && wait_for_others(comm, reading, &since) != 0) {
            moved = -1;
        }
        if (comm->is_ended) {
            moved = -1;
        }
    }
    free(all);
    return moved < 0 ? -1 : 0;
}
