/* Blocks of device memory, and of pinned memory of the host. */
#ifndef MEMORY_H
#define MEMORY_H

#include "world.h"

#define SPACE ((uint64_t)1 << 38)

/* FRESH: its place in the stream has not been reached. */
enum { FRESH, LIVE, GONE };

typedef struct block {
    uint64_t address, bytes;
    int device, state;
    /* Given to be freed, which is done when its stream comes to it. */
    int is_freed;
} block;

/* All hold the lock. */
block *block_of(uint64_t address, uint64_t bytes);
result new_block(uint64_t *address, size_t bytes, int device, int state, block **out);
void give_back_block(block *freed);
void end_block(block *freed);

#endif
