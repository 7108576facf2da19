/*
 * Device memory: addresses of each device are a range that nobody can touch; the bytes behind them are a file in memory, which only the double has
 * mapped
 * for reading and writing. Freed addresses are not given out again, so what is used after its end is found.
 */
#define _GNU_SOURCE
#include "memory.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

/* Blocks stand in the order of their addresses, which rise. */
static struct {
    char *addresses, *bytes;
    uint64_t next;
    int file;
    block **blocks;
    size_t count, room;
    int64_t held;
} space[DEVICES];

/* Holds the lock. */
static int open_space(int device)
{
    if (space[device].addresses != NULL) {
        return 1;
    }
    int file = memfd_create("double-cuda", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, SPACE) != 0) {
        return 0;
    }
    void *addresses = mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *bytes = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (addresses == MAP_FAILED || bytes == MAP_FAILED) {
        return 0;
    }
    space[device].addresses = addresses;
    space[device].bytes = bytes;
    space[device].file = file;
    return 1;
}

int64_t device_bytes(int device)
{
    return space[device].held;
}

int device_of(uint64_t address)
{
    for (int device = 0; device < DEVICES; device++) {
        uint64_t first = (uint64_t)space[device].addresses;
        if (first != 0 && address >= first && address < first + SPACE) {
            return device;
        }
    }
    return -1;
}

block *block_of(uint64_t address, uint64_t bytes)
{
    int device = device_of(address);
    size_t low = 0;
    size_t high = device < 0 ? 0 : space[device].count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        block *each = space[device].blocks[middle];
        if (address < each->address) {
            high = middle;
        } else if (address >= each->address + each->bytes) {
            low = middle + 1;
        } else {
            return bytes <= each->address + each->bytes - address ? each : NULL;
        }
    }
    return NULL;
}

/* Holds the lock. */
static void note(int device, block *made)
{
    if (space[device].count == space[device].room) {
        space[device].room = 2 * space[device].room + 64;
        space[device].blocks = realloc(space[device].blocks, space[device].room * sizeof *space[device].blocks);
    }
    space[device].blocks[space[device].count++] = made;
    space[device].held += made->bytes;
    world.count[ALLOCATIONS]++;
}

void give_back_block(block *freed)
{
    freed->is_freed = 1;
    space[freed->device].held -= freed->bytes;
    world.count[ALLOCATIONS]--;
}

static void *bytes_of(const block *block, uint64_t address)
{
    return space[block->device].bytes + (address - (uint64_t)space[block->device].addresses);
}

API void *double_cuda_map(uint64_t address, uint64_t bytes)
{
    lock();
    block *found = block_of(address, bytes);
    void *there = found == NULL || found->state != LIVE ? NULL : bytes_of(found, address);
    unlock();
    return there;
}

API int double_cuda_knows(uint64_t address, uint64_t bytes) { return is_known_device_memory(address, bytes); }

int is_known_device_memory(uint64_t address, uint64_t bytes)
{
    lock();
    block *found = block_of(address, bytes);
    int is_known = found != NULL && !found->is_freed;
    unlock();
    return is_known;
}

void *reach(uint64_t address, uint64_t bytes, const char *function)
{
    int is_host = device_of(address) < 0;
    void *there = !is_host ? double_cuda_map(address, bytes) : pinned_covers((void *)address, bytes) ? (void *)address : NULL;
    if (there == NULL) {
        fault("%s: memory of %s that is not live, or reaches beyond its block: address=%llx, bytes=%llu", function,
            is_host ? "the host, pinned," : "a device", (unsigned long long)address, (unsigned long long)bytes);
    }
    return there;
}

/* Nothing is zero that nobody has zeroed. */
static void scribble(void *bytes, size_t count)
{
    memset(bytes, 0xA5, count < PAGE ? count : PAGE);
}

result new_block(uint64_t *address, size_t bytes, int device, int state, block **out)
{
    int64_t most = world.memory == 0 ? (int64_t)SPACE : world.memory;
    uint64_t pages = (bytes + PAGE - 1) / PAGE + 1;
    if (bytes > SPACE || !open_space(device) || device_bytes(device) + (int64_t)bytes > most || space[device].next + pages * PAGE > SPACE) {
        return OUT_OF_MEMORY;
    }
    block *made = malloc(sizeof *made);
    *made = (block){(uint64_t)space[device].addresses + space[device].next, bytes, device, state, 0};
    space[device].next += pages * PAGE;
    note(device, made);
    scribble(bytes_of(made, made->address), bytes);
    *address = made->address;
    *out = made;
    return SUCCESS;
}

/* The block stays, so that its addresses are known as gone. */
void end_block(block *freed)
{
    uint64_t first = freed->address - (uint64_t)space[freed->device].addresses;
    fallocate(space[freed->device].file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first, (freed->bytes + PAGE - 1) / PAGE * PAGE);
    freed->state = GONE;
}
