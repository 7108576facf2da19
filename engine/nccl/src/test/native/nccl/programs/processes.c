/*
 * Ranks that are processes: each loads the double of NCCL, which meets the others' in memory named by the unique id, and adds and exchanges numbers.
 * usage: processes LIBRARY RANKS
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT 20000
#define INT64 4

typedef struct {
    char bytes[128];
} unique_id;

static void *library;

#define FUNCTION(name, ...) ((int (*)(__VA_ARGS__)) dlsym(library, name))

static int require(const char *what, int code) {
    if (code != 0) {
        printf("%s returned %d\n", what, code);
        exit(1);
    }
    return code;
}

static void check(const char *what, int64_t found, int64_t expected) {
    if (found != expected) {
        printf("%s: %lld, expected %lld\n", what, (long long) found, (long long) expected);
        exit(1);
    }
}

/* Each rank loads it for itself. */
static void run(const char *path, unique_id id, int ranks, int rank) {
    static int64_t own[COUNT], sum[COUNT], from_previous[COUNT];
    void *comm = NULL;
    library = dlopen(path, RTLD_NOW);
    for (int i = 0; i < COUNT; i++) {
        own[i] = i + rank;
    }
    require("CommInitRank", FUNCTION("ncclCommInitRank", void **, int, unique_id, int)(&comm, ranks, id, rank));
    require("GroupStart", FUNCTION("ncclGroupStart", void)());
    require("AllReduce", FUNCTION("ncclAllReduce", const void *, void *, size_t, int, int, void *, void *)(own, sum, COUNT, INT64, 0, comm, NULL));
    require("Send", FUNCTION("ncclSend", const void *, size_t, int, int, void *, void *)(own, COUNT, INT64, (rank + 1) % ranks, comm, NULL));
    require("Recv", FUNCTION("ncclRecv", void *, size_t, int, int, void *, void *)(from_previous, COUNT, INT64, (rank + ranks - 1) % ranks, comm,
            NULL));
    require("GroupEnd", FUNCTION("ncclGroupEnd", void)());
    FUNCTION("double_nccl_synchronize", void *)(NULL);
    for (int i = 0; i < COUNT; i++) {
        check("sum", sum[i], (int64_t) i * ranks + ranks * (ranks - 1) / 2);
        check("from the previous rank", from_previous[i], i + (rank + ranks - 1) % ranks);
    }
    require("CommDestroy", FUNCTION("ncclCommDestroy", void *)(comm));
    check("faults", FUNCTION("double_nccl_fault_text", int, char *, int)(0, (char *) own, sizeof(own)), 0);
}

int main(int count, char **arguments) {
    unique_id id;
    int ranks = count == 3 ? atoi(arguments[2]) : 0, failed = 0, status;
    library = ranks > 0 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        printf("usage: processes LIBRARY RANKS\n");
        return 1;
    }
    require("GetUniqueId", FUNCTION("ncclGetUniqueId", unique_id *)(&id));
    for (int rank = 0; rank < ranks; rank++) {
        if (fork() == 0) {
            alarm(30);
            run(arguments[1], id, ranks, rank);
            exit(0);
        }
    }
    while (wait(&status) > 0) {
        failed += status != 0;
    }
    printf("%d ranks, %d failed\n", ranks, failed);
    return failed != 0;
}
