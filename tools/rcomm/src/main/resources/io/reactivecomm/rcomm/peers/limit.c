/*
 * How far one gets on this machine: an all-reduce of float32 with nothing around it, for `rcomm perf --peers`.
 *
 *   limit shm|tcp RANKS OP BATCHES BATCH_SECONDS WARM_UP_SECONDS SIZES     sizes in bytes, separated by commas
 *
 * shm: tensors that all processes see. Up to SLOT_BYTES each rank writes its tensor to a slot and folds all slots; above, it folds its part
 *      from all tensors, then copies the others' parts. No rank is told anything but "ready", by a number in memory. The last rank's part has
 *      what does not divide. The first round is checked.
 * tcp: connections on loopback, under reno as ours are, that carry the bytes of an all-reduce both ways as fast as they go: nothing is folded,
 *      and nobody waits for a part.
 *
 * Ranks are processes; rank 0 is the first, and ends all if one fails. WARM_UP_SECONDS is for programs that are compiled as they run.
 */
#define _GNU_SOURCE
#include "bench.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_RANKS 64
/* From here on the two ways of shm take equally long. */
#define SLOT_BYTES 16384
/* Up to here a part is not worth a message of its own: each rank sends all of its tensor. */
#define WHOLE_BYTES 8192
/* Elements that are folded at a time where there are many ranks, so that the sums stay in the first cache. */
#define BLOCK 4096

struct work {
    long elements;
};

/* A line of the cache for each rank, so that a rank that writes its own disturbs nobody. */
typedef struct {
    _Alignas(128) atomic_long steps;
} line_t;

typedef struct {
    line_t done[MOST_RANKS];
    atomic_int agreed;
} shared_t;

static int yields;
static long steps, turns;
static shared_t *shared;
static float *tensors[MOST_RANKS];
static char *slots;
static int sockets[MOST_RANKS][MOST_RANKS];

static void fail(const char *what) {
    fprintf(stderr, "limit: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *shared_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("no shared memory");
    return memory;
}

static void pause_a_little(void) {
    if (yields) {
        sched_yield();
        return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Says that this rank is as far, and waits until all are. */
static void meet(void) {
    atomic_store_explicit(&shared->done[rank].steps, ++steps, memory_order_release);
    for (int i = 0; i < ranks; i++)
        while (atomic_load_explicit(&shared->done[i].steps, memory_order_acquire) < steps) pause_a_little();
}

/* out may be one of the sources. */
static void fold(float *out, float *const *sources, long from, long count) {
    const float *a = sources[0] + from, *b = sources[1] + from;
    float *o = out + from;
    if (ranks == 2) {
        for (long i = 0; i < count; i++) o[i] = a[i] + b[i];
        return;
    }
    if (ranks == 4) {
        const float *c = sources[2] + from, *d = sources[3] + from;
        for (long i = 0; i < count; i++) o[i] = a[i] + b[i] + c[i] + d[i];
        return;
    }
    float sums[BLOCK];
    for (long at = 0; at < count; at += BLOCK) {
        long here = count - at < BLOCK ? count - at : BLOCK;
        memcpy(sums, a + at, here * sizeof(float));
        for (int r = 1; r < ranks; r++)
            for (long i = 0; i < here; i++) sums[i] += sources[r][from + at + i];
        memcpy(o + at, sums, here * sizeof(float));
    }
}

/* A rank can be one round ahead of another, not two: so two slots each suffice. */
static void reduce_in_slots(long elements) {
    char *now = slots + (++turns & 1) * (long)ranks * SLOT_BYTES;
    float *sources[MOST_RANKS];
    for (int r = 0; r < ranks; r++) sources[r] = (float *)(now + (long)r * SLOT_BYTES);
    memcpy(sources[rank], tensors[rank], elements * sizeof(float));
    meet();
    fold(tensors[rank], sources, 0, elements);
}

static long part_of(int r, long elements) {
    long part = elements / ranks;
    return r == ranks - 1 ? elements - r * part : part;
}

static void reduce_in_place(long elements) {
    long part = elements / ranks;
    meet();
    fold(tensors[rank], tensors, rank * part, part_of(rank, elements));
    meet();
    for (int i = 1; i < ranks; i++) {
        int r = (rank + i) % ranks;
        memcpy(tensors[rank] + r * part, tensors[r] + r * part, part_of(r, elements) * sizeof(float));
    }
    meet();
}

static void over_shm(work_t *work) {
    long elements = work->elements;
    if (elements * (long)sizeof(float) <= SLOT_BYTES)
        reduce_in_slots(elements);
    else
        reduce_in_place(elements);
}

static long moved(long did, long *left) {
    if (did == 0) {
        errno = ECONNRESET;
        fail("a rank is gone");
    }
    if (did < 0 && errno != EAGAIN && errno != EINTR) fail("a connection failed");
    *left -= did < 0 ? 0 : did;
    return did < 0 ? 0 : did;
}

/* To and from each other rank: the whole tensor if it is small, else its part and a result, which is never more than the tensor. */
static void over_tcp(work_t *work) {
    long bytes = work->elements * (long)sizeof(float), part = bytes / ranks, each = bytes <= WHOLE_BYTES ? bytes : 2 * part;
    long sent[MOST_RANKS] = {0}, received[MOST_RANKS] = {0};
    for (long left = 2 * (ranks - 1) * each; left > 0;) {
        long before = left;
        for (int r = 0; r < ranks; r++) {
            char *own = (char *)tensors[rank] + (r * part < bytes - each ? r * part : bytes - each);
            if (r == rank) continue;
            if (sent[r] < each) sent[r] += moved(send(sockets[rank][r], own + sent[r], each - sent[r], MSG_NOSIGNAL), &left);
            if (received[r] < each) received[r] += moved(recv(sockets[rank][r], own + received[r], each - received[r], 0), &left);
        }
        if (left == before) pause_a_little();
    }
}

static int ready(int socket) {
    int one = 1;
    if (socket < 0) fail("no connection on loopback");
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
    fcntl(socket, F_SETFL, O_NONBLOCK);
    return socket;
}

static void connect_all(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 1) < 0
        || getsockname(listener, (struct sockaddr *)&address, &length) < 0)
        fail("cannot listen on loopback");
    for (int i = 0; i < ranks; i++)
        for (int j = i + 1; j < ranks; j++) {
            int out = socket(AF_INET, SOCK_STREAM, 0);
            if (out < 0 || connect(out, (struct sockaddr *)&address, sizeof address) < 0) fail("cannot connect on loopback");
            sockets[i][j] = ready(out);
            sockets[j][i] = ready(accept(listener, NULL, NULL));
        }
    close(listener);
}

static int agreed(int number) {
    if (rank == 0) atomic_store(&shared->agreed, number);
    meet();
    int all = atomic_load(&shared->agreed);
    meet();
    return all;
}

static void require_sums(long elements) {
    for (long i = 0; i < elements; i++)
        if (tensors[rank][i] != ranks * (ranks + 1) / 2) {
            fprintf(stderr, "limit: a sum is wrong: rank=%d, element=%ld\n", rank, i);
            exit(1);
        }
}

static void measure_size(round_t round, long bytes) {
    work_t work = {.elements = bytes / (long)sizeof(float)};
    for (long i = 0; i < work.elements; i++) tensors[rank][i] = rank + 1;
    if (round == over_shm) {
        round(&work);
        require_sums(work.elements);
    }
    measure("call", round, &work, bytes);
}

/* A rank that fails takes the others along: they would wait for it for ever. */
static void child_ended(int signal) {
    int status, before = errno;
    (void)signal;
    while (waitpid(-1, &status, WNOHANG) > 0)
        if (status != 0) _exit(1);
    errno = before;
}

static void start_ranks(void) {
    pid_t first = getpid();
    signal(SIGCHLD, child_ended);
    for (int r = 1; r < ranks && rank == 0; r++) {
        pid_t child = fork();
        if (child < 0) fail("cannot start a rank");
        if (child == 0) {
            rank = r;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != first) exit(1);
        }
    }
    for (int i = 0; i < ranks; i++)
        for (int j = 0; j < ranks; j++)
            if (i != rank && sockets[i][j] != 0) close(sockets[i][j]);
}

static int cores(void) {
    cpu_set_t usable;
    return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

int main(int argc, char **argv) {
    if (argc < 8) {
        fprintf(stderr, "limit: too few arguments\n");
        return 2;
    }
    if (strcmp(argv[3], "all-reduce") != 0) {
        printf("unsupported %s\n", argv[3]);
        return 0;
    }
    int is_tcp = strcmp(argv[1], "tcp") == 0;
    ranks = atoi(argv[2]);
    batches = atoi(argv[4]);
    batch_seconds = atof(argv[5]);
    if (ranks < 2 || ranks > MOST_RANKS) {
        printf("unsupported ranks=%d\n", ranks);
        return 0;
    }
    yields = ranks > cores();
    shared = shared_memory(sizeof *shared);
    slots = shared_memory(2L * ranks * SLOT_BYTES);
    if (is_tcp) connect_all();
    long most = 0;
    for (char *size = argv[7]; size; size = strchr(size, ',') ? strchr(size, ',') + 1 : NULL)
        if (atol(size) > most) most = atol(size);
    for (int r = 0; r < ranks; r++) tensors[r] = shared_memory(most + 64);
    start_ranks();
    for (char *size = strtok(argv[7], ","); size; size = strtok(NULL, ",")) measure_size(is_tcp ? over_tcp : over_shm, atol(size));
    int failed = 0, status;
    signal(SIGCHLD, SIG_DFL);
    while (rank == 0 && wait(&status) > 0) failed |= status;
    return failed != 0;
}
