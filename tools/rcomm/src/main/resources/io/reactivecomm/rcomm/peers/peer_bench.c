/*
 * Times one MPI collective, or a list of all-reduces, on float32, for `rcomm perf --peers`.
 *
 *   peer_bench OP BATCHES BATCH_SECONDS WARM_UP_SECONDS SIZES     sizes in bytes, separated by commas, as nccl-tests counts them
 *   peer_bench list BATCHES BATCH_SECONDS WARM_UP_SECONDS @FILE   an element count on each line
 *
 * Compiled code needs no warm-up beyond two batches: the argument is for the programs that do.
 *
 * The way of a result is `call`, or for lists `in-flight` (MPI_Iallreduce for all, then one wait) and `in-turn` (blocking calls, one by one).
 */
#include "bench.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* What one round of the measured operation works on. */
struct work {
    float *in, *out;
    int elements, part;
    float **tensors;
    int *counts;
    MPI_Request *requests;
    int tensor_count;
};

static void all_reduce(work_t *d) { MPI_Allreduce(MPI_IN_PLACE, d->in, d->elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }

static void reduce(work_t *d) {
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, d->in, d->elements, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(d->in, NULL, d->elements, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void broadcast(work_t *d) { MPI_Bcast(d->in, d->elements, MPI_FLOAT, 0, MPI_COMM_WORLD); }

static void all_gather(work_t *d) { MPI_Allgather(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, MPI_COMM_WORLD); }

static void reduce_scatter(work_t *d) { MPI_Reduce_scatter_block(d->in, d->out, d->part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }

static void all_to_all(work_t *d) { MPI_Alltoall(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, MPI_COMM_WORLD); }

static void gather(work_t *d) { MPI_Gather(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, 0, MPI_COMM_WORLD); }

static void scatter(work_t *d) { MPI_Scatter(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, 0, MPI_COMM_WORLD); }

static void send_receive(work_t *d) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(d->in, d->elements, MPI_FLOAT, next, 0, d->out, d->elements, MPI_FLOAT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barrier(work_t *d) {
    (void)d;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void list_in_flight(work_t *d) {
    for (int i = 0; i < d->tensor_count; i++)
        MPI_Iallreduce(MPI_IN_PLACE, d->tensors[i], d->counts[i], MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &d->requests[i]);
    MPI_Waitall(d->tensor_count, d->requests, MPI_STATUSES_IGNORE);
}

static void list_in_turn(work_t *d) {
    for (int i = 0; i < d->tensor_count; i++)
        MPI_Allreduce(MPI_IN_PLACE, d->tensors[i], d->counts[i], MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    round_t round;
} OPERATIONS[] = {{"all-reduce", all_reduce},       {"reduce", reduce},         {"broadcast", broadcast}, {"all-gather", all_gather},
                  {"reduce-scatter", reduce_scatter}, {"all-to-all", all_to_all}, {"gather", gather},       {"scatter", scatter},
                  {"send-receive", send_receive},   {"barrier", barrier}};

static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static int agreed(int number) {
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number;
}

static float *tensor(long elements) {
    float *values = malloc((elements + 1) * sizeof(float));
    if (values == NULL) {
        fprintf(stderr, "out of memory: elements=%ld\n", elements);
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    for (long i = 0; i < elements; i++) values[i] = 1;
    return values;
}

static void measure_sizes(round_t round, char *sizes) {
    for (char *size = strtok(sizes, ","); size; size = strtok(NULL, ",")) {
        long bytes = atol(size);
        work_t d = {.elements = (int)(bytes / 4), .part = (int)(bytes / 4 / ranks)};
        d.in = tensor(d.elements);
        d.out = tensor(d.elements);
        measure("call", round, &d, bytes);
        free(d.in);
        free(d.out);
    }
}

static void measure_list(const char *path) {
    FILE *file = fopen(path, "r");
    work_t d = {0};
    long count, bytes = 0;
    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    while (fscanf(file, "%ld", &count) == 1) {
        d.tensors = realloc(d.tensors, (d.tensor_count + 1) * sizeof(float *));
        d.counts = realloc(d.counts, (d.tensor_count + 1) * sizeof(int));
        d.tensors[d.tensor_count] = tensor(count);
        d.counts[d.tensor_count++] = (int)count;
        bytes += 4 * count;
    }
    fclose(file);
    d.requests = malloc((d.tensor_count + 1) * sizeof(MPI_Request));
    measure("in-flight", list_in_flight, &d, bytes);
    measure("in-turn", list_in_turn, &d, bytes);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 6) MPI_Abort(MPI_COMM_WORLD, 2);
    batches = atoi(argv[2]);
    batch_seconds = atof(argv[3]);
    int known = 0;
    if (strcmp(argv[1], "list") == 0) {
        measure_list(argv[5] + 1);
        known = 1;
    }
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++)
        if (strcmp(argv[1], OPERATIONS[i].name) == 0) {
            measure_sizes(OPERATIONS[i].round, argv[5]);
            known = 1;
        }
    if (!known && rank == 0) printf("unsupported %s\n", argv[1]);
    MPI_Finalize();
    return 0;
}
