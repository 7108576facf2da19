/*
 * How the programs in C time an operation for `rcomm perf --peers`: batches of as many rounds as fill a time, after two batches that nobody
 * sees. Whoever includes this says what a round works on and how ranks meet.
 *
 * Rank 0 prints a line for each measurement: result WAY BYTES MICROS,MICROS,... with the mean time of a round in each batch.
 */
#include <stdio.h>
#include <time.h>

#define MOST_ROUNDS 100000
#define FIRST_ROUNDS 3

typedef struct work work_t;
typedef void (*round_t)(work_t *);

static int rank, ranks, batches;
static double batch_seconds;

/* Returns when all ranks are here. */
static void meet(void);

/* The number that rank 0 has, on all ranks. */
static int agreed(int number);

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static double seconds_of(round_t round, work_t *work, int rounds) {
    meet();
    double start = now();
    for (int i = 0; i < rounds; i++) round(work);
    return now() - start;
}

/* Rank 0 decides, so that all ranks make the same calls. */
static int rounds_in(double seconds, double seconds_of_one) {
    double guess = seconds_of_one > 0 ? seconds / seconds_of_one : MOST_ROUNDS;
    return agreed(guess < 1 ? 1 : guess > MOST_ROUNDS ? MOST_ROUNDS : (int)guess);
}

static void measure(const char *way, round_t round, work_t *work, long bytes) {
    double one = seconds_of(round, work, FIRST_ROUNDS) / FIRST_ROUNDS;
    for (int pass = 0; pass < 2; pass++) {
        int rounds = rounds_in(batch_seconds, one);
        one = seconds_of(round, work, rounds) / rounds;
    }
    int rounds = rounds_in(batch_seconds, one);
    if (rank == 0) printf("result %s %ld ", way, bytes);
    for (int batch = 0; batch < batches; batch++) {
        double micros = seconds_of(round, work, rounds) / rounds * 1e6;
        if (rank == 0) printf(batch ? ",%.4f" : "%.4f", micros);
    }
    if (rank == 0) {
        printf("\n");
        fflush(stdout);
    }
}
