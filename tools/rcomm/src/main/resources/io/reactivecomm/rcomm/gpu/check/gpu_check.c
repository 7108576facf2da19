/*
 * Messages of a rank that is alone to itself, as Java's side of the check issues them: all in one group, then each in a group of its own.
 * usage: gpu_check LIBRARY DEVICE PAIRS BYTES
 * Each line on standard input is an order for a round, which is answered by a line of its times in nanoseconds: all issued, all done, each issued, each done.
 * At the end of the input the messages are looked at. No headers of CUDA's or NCCL's are needed: what is used of them stands here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UINT32 3
#define NON_BLOCKING 1

typedef struct {
    char bytes[128];
} unique_id;

typedef void *handle;

static int (*group_start)(void);
static int (*group_end)(void);
static int (*send_words)(const void *, size_t, int, int, handle, handle);
static int (*receive_words)(void *, size_t, int, int, handle, handle);
static int (*synchronize)(handle);

static handle comm, stream;
static uint64_t from, to;
static size_t pairs, pair_bytes;

static void *opened(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "cannot load a library: %s\n", dlerror());
        exit(2);
    }
    return library;
}

static void *found(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (function == NULL) {
        fprintf(stderr, "a function is missing: %s\n", name);
        exit(2);
    }
    return function;
}

static void check(const char *function, int code)
{
    if (code != 0) {
        fprintf(stderr, "a function failed: function=%s, code=%d\n", function, code);
        exit(3);
    }
}

#define CALL(library, name, types, ...) check(#name, ((int(*) types)found(library, #name))(__VA_ARGS__))

static void open_device(void *cuda, int index)
{
    int device;
    handle context;
    CALL(cuda, cuInit, (unsigned), 0);
    CALL(cuda, cuDeviceGet, (int *, int), &device, index);
    CALL(cuda, cuDevicePrimaryCtxRetain, (handle *, int), &context, device);
    CALL(cuda, cuCtxSetCurrent, (handle), context);
    CALL(cuda, cuStreamCreate, (handle *, unsigned), &stream, NON_BLOCKING);
    CALL(cuda, cuMemAlloc_v2, (uint64_t *, size_t), &from, pairs * pair_bytes);
    CALL(cuda, cuMemAlloc_v2, (uint64_t *, size_t), &to, pairs * pair_bytes);
    synchronize = (int (*)(handle))found(cuda, "cuStreamSynchronize");
}

static void join(void *nccl)
{
    unique_id id;
    CALL(nccl, ncclGetUniqueId, (unique_id *), &id);
    CALL(nccl, ncclCommInitRank, (handle *, int, unique_id, int), &comm, 1, id, 0);
    group_start = (int (*)(void))found(nccl, "ncclGroupStart");
    group_end = (int (*)(void))found(nccl, "ncclGroupEnd");
    send_words = (int (*)(const void *, size_t, int, int, handle, handle))found(nccl, "ncclSend");
    receive_words = (int (*)(void *, size_t, int, int, handle, handle))found(nccl, "ncclRecv");
}

static void copy_in(void *cuda, uint64_t there, const uint32_t *words)
{
    CALL(cuda, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t), there, words, pairs * pair_bytes);
    CALL(cuda, cuCtxSynchronize, (void));
}

static void copy_out(void *cuda, uint32_t *words, uint64_t there)
{
    CALL(cuda, cuMemcpyDtoH_v2, (void *, uint64_t, size_t), words, there, pairs * pair_bytes);
}

static void issue(size_t index)
{
    uint64_t offset = index * pair_bytes;
    check("ncclSend", send_words((const void *)(from + offset), pair_bytes / 4, UINT32, 0, comm, stream));
    check("ncclRecv", receive_words((void *)(to + offset), pair_bytes / 4, UINT32, 0, comm, stream));
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void run_round(void)
{
    long long begun = now();
    check("ncclGroupStart", group_start());
    for (size_t i = 0; i < pairs; i++) {
        issue(i);
    }
    check("ncclGroupEnd", group_end());
    long long grouped_issued = now() - begun;
    check("cuStreamSynchronize", synchronize(stream));
    long long grouped_done = now() - begun, begun_again = now();
    for (size_t i = 0; i < pairs; i++) {
        check("ncclGroupStart", group_start());
        issue(i);
        check("ncclGroupEnd", group_end());
    }
    long long single_issued = now() - begun_again;
    check("cuStreamSynchronize", synchronize(stream));
    printf("times %lld %lld %lld %lld\n", grouped_issued, grouped_done, single_issued, now() - begun_again);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    char order[16];
    if (count != 5) {
        fprintf(stderr, "usage: gpu_check LIBRARY DEVICE PAIRS BYTES\n");
        return 1;
    }
    pairs = strtoul(arguments[3], NULL, 10);
    pair_bytes = strtoul(arguments[4], NULL, 10);
    void *cuda = opened("libcuda.so.1");
    open_device(cuda, atoi(arguments[2]));
    void *nccl = opened(arguments[1]);
    join(nccl);
    uint32_t *sent = calloc(pairs, pair_bytes), *received = calloc(pairs, pair_bytes);
    copy_in(cuda, to, received);
    for (size_t i = 0; i < pairs * pair_bytes / 4; i++) {
        sent[i] = (uint32_t)i + 1;
    }
    copy_in(cuda, from, sent);
    while (fgets(order, sizeof order, stdin) != NULL) {
        run_round();
    }
    copy_out(cuda, received, to);
    if (memcmp(sent, received, pairs * pair_bytes) != 0) {
        fprintf(stderr, "a message to self is not received as it was sent\n");
        return 4;
    }
    CALL(nccl, ncclCommDestroy, (handle), comm);
    return 0;
}
