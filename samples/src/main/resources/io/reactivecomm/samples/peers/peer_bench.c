/*
 * Times one MPI collective, or a list of all-reduces, on float32, for `rcomm perf --peers`.
 *
 *   peer_bench OP BATCHES BATCH_SECONDS WARM_UP_SECONDS SIZES     sizes in bytes, separated by commas, as nccl-tests counts them
 *   peer_bench list BATCHES BATCH_SECONDS WARM_UP_SECONDS @FILE   an element count on each line
 *
 * Compiled code needs no warm-up beyond two batches: the argument is for the programs that do.
 *
 * Rank 0 prints a line for each measurement: result WAY BYTES MICROS,MICROS,... with the mean time of a round in each batch. The
 * way is `call`, or for lists `in-flight` (MPI_Iallreduce for all, then one wait) and `in-turn` (blocking calls, one by one).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROUNDS 100000
#define FIRST_ROUNDS 3

static int ranks, rank, batches;
static double batch_seconds;

/* What one round of the measured operation works on. */
typedef struct {
    float *in, *out;
    int elements, part;
    float **tensors;
    int *counts;
    MPI_Request *requests;
    int tensor_count;
} data_t;

typedef void (*round_t)(data_t *);

static void all_reduce(data_t *d) { MPI_Allreduce(MPI_IN_PLACE, d->in, d->elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }

static void reduce(data_t *d) {
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, d->in, d->elements, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(d->in, NULL, d->elements, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void broadcast(data_t *d) { MPI_Bcast(d->in, d->elements, MPI_FLOAT, 0, MPI_COMM_WORLD); }

static void all_gather(data_t *d) { MPI_Allgather(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, MPI_COMM_WORLD); }

static void reduce_scatter(data_t *d) { MPI_Reduce_scatter_block(d->in, d->out, d->part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }

static void all_to_all(data_t *d) { MPI_Alltoall(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, MPI_COMM_WORLD); }

static void gather(data_t *d) { MPI_Gather(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, 0, MPI_COMM_WORLD); }

static void scatter(data_t *d) { MPI_Scatter(d->in, d->part, MPI_FLOAT, d->out, d->part, MPI_FLOAT, 0, MPI_COMM_WORLD); }

static void send_receive(data_t *d) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(d->in, d->elements, MPI_FLOAT, next, 0, d->out, d->elements, MPI_FLOAT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barrier(data_t *d) {
    (void)d;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void list_in_flight(data_t *d) {
    for (int i = 0; i < d->tensor_count; i++)
        MPI_Iallreduce(MPI_IN_PLACE, d->tensors[i], d->counts[i], MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &d->requests[i]);
    MPI_Waitall(d->tensor_count, d->requests, MPI_STATUSES_IGNORE);
}

static void list_in_turn(data_t *d) {
    for (int i = 0; i < d->tensor_count; i++)
        MPI_Allreduce(MPI_IN_PLACE, d->tensors[i], d->counts[i], MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    round_t round;
} OPERATIONS[] = {{"all-reduce", all_reduce},       {"reduce", reduce},         {"broadcast", broadcast}, {"all-gather", all_gather},
                  {"reduce-scatter", reduce_scatter}, {"all-to-all", all_to_all}, {"gather", gather},       {"scatter", scatter},
                  {"send-receive", send_receive},   {"barrier", barrier}};

static double seconds_of(round_t round, data_t *d, int rounds) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) round(d);
    return MPI_Wtime() - start;
}

/* Rank 0 decides, so that all ranks make the same calls. */
static int rounds_in(double seconds, double seconds_of_one) {
    double guess = seconds_of_one > 0 ? seconds / seconds_of_one : MOST_ROUNDS;
    int rounds = guess < 1 ? 1 : guess > MOST_ROUNDS ? MOST_ROUNDS : (int)guess;
    MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return rounds;
}

static void measure(const char *way, round_t round, data_t *d, long bytes) {
    double one = seconds_of(round, d, FIRST_ROUNDS) / FIRST_ROUNDS;
    for (int pass = 0; pass < 2; pass++) {
        int rounds = rounds_in(batch_seconds, one);
        one = seconds_of(round, d, rounds) / rounds;
    }
    int rounds = rounds_in(batch_seconds, one);
    if (rank == 0) printf("result %s %ld ", way, bytes);
    for (int batch = 0; batch < batches; batch++) {
        double micros = seconds_of(round, d, rounds) / rounds * 1e6;
        if (rank == 0) printf(batch ? ",%.4f" : "%.4f", micros);
    }
    if (rank == 0) {
        printf("\n");
        fflush(stdout);
    }
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
        data_t d = {.elements = (int)(bytes / 4), .part = (int)(bytes / 4 / ranks)};
        d.in = tensor(d.elements);
        d.out = tensor(d.elements);
        measure("call", round, &d, bytes);
        free(d.in);
        free(d.out);
    }
}

static void measure_list(const char *path) {
    FILE *file = fopen(path, "r");
    data_t d = {0};
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
