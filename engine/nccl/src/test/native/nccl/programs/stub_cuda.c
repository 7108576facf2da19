/*
 * As much of the double of CUDA as the double of NCCL asks for: a thousand bytes at an address where nothing is, and one queue that runs
 * when it is told to.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ADDRESS 0x7000000000
#define BYTES 1024
#define MOST 16

static _Alignas(64) char memory[BYTES];
static int is_freed, device, queued;
static char fault[2048];
static struct {
    void (*run)(void *);
    void *argument;
} queue[MOST];

void *double_cuda_map(uint64_t address, uint64_t bytes) {
    return !is_freed && address >= ADDRESS && address + bytes <= ADDRESS + BYTES ? memory + (address - ADDRESS) : NULL;
}

int double_cuda_enqueue(void *stream, void (*run)(void *), void *argument) {
    if (stream == NULL || queued == MOST) {
        return 400;
    }
    queue[queued].run = run;
    queue[queued++].argument = argument;
    return 0;
}

int double_cuda_context_device(void) { return device; }

void double_cuda_fault(const char *text) { strncpy(fault, text, sizeof(fault) - 1); }

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    *address = ADDRESS;
    return bytes <= BYTES ? 0 : 2;
}

int cuMemFree_v2(uint64_t address) { return address == ADDRESS ? 0 : 1; }

void *stub_memory(void) { return memory; }

char *stub_fault(void) { return fault; }

void stub_set(int new_device, int new_is_freed) {
    device = new_device;
    is_freed = new_is_freed;
}

/* Returns how much it has run. */
int stub_run(void) {
    int run = queued;
    queued = 0;
    for (int i = 0; i < run; i++) {
        queue[i].run(queue[i].argument);
    }
    return run;
}
