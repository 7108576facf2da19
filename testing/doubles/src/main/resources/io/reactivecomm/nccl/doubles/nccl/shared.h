/*
 * Memory where the ranks of a communicator meet, be they threads or processes: a file named by the unique id, which the last one that comes
 * unlinks. All zero is its first state, so nobody has to prepare it.
 */
#ifndef DOUBLE_NCCL_SHARED_H
#define DOUBLE_NCCL_SHARED_H

#include "dialect.h"
#include <stdatomic.h>

#define MOST_RANKS 16
#define PIECE 65536
#define PIPE_PIECE 16384
#define TEXT 2048

/* What a rank launches: the hash of all of it, and the beginning of its text. */
struct signature {
    uint64_t hash;
    char text[TEXT];
};

/* Written by its rank alone. Of two places the one of the step's parity is written: who has made the next step has read what was there. */
struct rank_area {
    _Atomic uint32_t arrived;
    _Atomic uint32_t step;
    _Atomic uint32_t split_step;
    /* Aborted. */
    _Atomic uint32_t gone;
    int pid, device;
    struct {
        int color, key;
    } splits[2];
    struct signature signatures[2];
    char staging[2][PIECE];
};

/* From one rank to another; written by the sender, taken by the receiver. A note opens each bundle: the messages of one group. */
struct pipe {
    _Atomic uint32_t written;
    _Atomic uint32_t taken;
    struct {
        int is_note;
        uint32_t bytes;
        char data[PIPE_PIECE];
    } pieces[2];
};

struct segment {
    _Atomic uint32_t bell;
    _Atomic uint32_t size;
    /* The result that all ranks see from then on. */
    _Atomic uint32_t failing;
    _Atomic uint32_t failed;
    char failure[TEXT];
    struct rank_area ranks[MOST_RANKS];
    struct pipe pipes[MOST_RANKS][MOST_RANKS];
};

/* Null if it cannot be had. */
struct segment *open_segment(uint64_t name);

void unlink_segment(uint64_t name);

void close_segment(struct segment *segment);

/* Wakes all who wait. */
void ring(struct segment *segment);

/* Waits until it is rung after that reading, or for a while. */
void await_ring(struct segment *segment, uint32_t reading);

/* The first failure remains. Returns whether this is it. */
int fail_segment(struct segment *segment, enum result result, const char *text);

uint64_t hash_of(uint64_t start, const void *bytes, size_t count);

#define HASH_START 14695981039346656037u

#endif
