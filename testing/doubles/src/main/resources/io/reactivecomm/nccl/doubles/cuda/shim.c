/* The threads of kernels that are compiled into this double, as contexts of the stream's thread where they meet barriers. */
#include "shim.h"
#include "kernels.h"
#include "world.h"
#include <stdlib.h>
#include <ucontext.h>

enum { MOST_KERNELS = 64, MOST_THREADS = 1024, STACK_BYTES = 64 * 1024, KNOWN = 8 };

__thread shim_index threadIdx, blockIdx, blockDim, gridDim;

static kernel kernels[MOST_KERNELS];
static int count;

typedef struct {
    ucontext_t context;
    char *stack;
    unsigned index;
    int is_waiting, has_waited;
} thread_state;

/* A launch as one stream's thread does it. */
static __thread struct {
    ucontext_t scheduler;
    thread_state *threads;
    thread_state *running;
    const kernel *kernel;
    const void *arguments;
    int has_failed;
    /* The first thread of the block has ended without a barrier: so do the others, which need no context. */
    int is_in_a_row;
    struct {
        uint64_t address, bytes;
        void *there;
    } known[KNOWN];
    int next_known;
} turn;

void shim_register(const char *name, void (*run)(const void *), size_t bytes)
{
    if (count < MOST_KERNELS) {
        kernels[count++] = (kernel){name, run, bytes};
    }
}

const kernel *kernel_named(const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(kernels[i].name, name) == 0) {
            return &kernels[i];
        }
    }
    return NULL;
}

static void leave(void)
{
    swapcontext(&turn.running->context, &turn.scheduler);
}

void *shim_reach(uint64_t address, uint64_t bytes)
{
    if (bytes == 0) {
        return NULL;
    }
    for (int i = 0; i < KNOWN; i++) {
        if (turn.known[i].there != NULL && turn.known[i].address == address && turn.known[i].bytes == bytes) {
            return turn.known[i].there;
        }
    }
    void *there = reach(address, bytes, turn.kernel->name);
    if (there == NULL) {
        turn.has_failed = 1;
        leave();
    }
    int place = turn.next_known++ % KNOWN;
    turn.known[place].address = address;
    turn.known[place].bytes = bytes;
    turn.known[place].there = there;
    return there;
}

void shim_barrier(void)
{
    if (turn.is_in_a_row) {
        fault("%s: not all threads of a block come to a barrier: thread=%u", turn.kernel->name, threadIdx.x);
        turn.has_failed = 1;
    }
    turn.running->is_waiting = 1;
    leave();
}

static void begin(void)
{
    turn.kernel->run(turn.arguments);
    setcontext(&turn.scheduler);
}

/* The first thread, and where that meets no barrier all others behind it. */
static void begin_first(void)
{
    thread_state *first = turn.running;
    turn.kernel->run(turn.arguments);
    if (!first->has_waited) {
        turn.is_in_a_row = 1;
        for (threadIdx.x = 1; threadIdx.x < blockDim.x; threadIdx.x++) {
            turn.kernel->run(turn.arguments);
        }
    }
    setcontext(&turn.scheduler);
}

static void go_on(thread_state *thread)
{
    turn.running = thread;
    threadIdx.x = thread->index;
    thread->is_waiting = 0;
    swapcontext(&turn.scheduler, &thread->context);
    thread->has_waited |= thread->is_waiting;
}

static void start(thread_state *thread, unsigned index)
{
    getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = STACK_BYTES;
    thread->index = index;
    thread->has_waited = 0;
    makecontext(&thread->context, index == 0 ? begin_first : begin, 0);
    go_on(thread);
}

/* One that has ended without a barrier leaves its stack to the next. */
static unsigned start_all(void)
{
    unsigned waiting = 0;
    turn.is_in_a_row = 0;
    for (unsigned i = 0; i < blockDim.x && !turn.has_failed && !turn.is_in_a_row; i++) {
        thread_state *thread = &turn.threads[waiting];
        if (thread->stack == NULL) {
            thread->stack = malloc(STACK_BYTES);
        }
        start(thread, i);
        waiting += thread->is_waiting;
    }
    return waiting;
}

static void run_block(void)
{
    unsigned started = start_all(), waiting = started;
    while (waiting > 0 && !turn.has_failed) {
        waiting = 0;
        for (unsigned i = 0; i < started && !turn.has_failed; i++) {
            if (turn.threads[i].is_waiting) {
                go_on(&turn.threads[i]);
                waiting += turn.threads[i].is_waiting;
            }
        }
    }
}

void run_kernel(const kernel *asked, unsigned blocks, unsigned width, const void *arguments)
{
    if (turn.threads == NULL) {
        turn.threads = calloc(MOST_THREADS, sizeof *turn.threads);
    }
    turn.kernel = asked;
    turn.arguments = arguments;
    turn.has_failed = 0;
    memset(turn.known, 0, sizeof turn.known);
    gridDim.x = blocks;
    blockDim.x = width;
    for (unsigned block = 0; block < blocks && !turn.has_failed; block++) {
        blockIdx.x = block;
        run_block();
    }
    for (unsigned i = 0; i < MOST_THREADS; i++) {
        free(turn.threads[i].stack);
    }
    free(turn.threads);
    turn.threads = NULL;
}
