/*
 * The k numbers of largest magnitude of each part, as TopK has it: a radix select from the highest digit. Numbers are counted by a digit; of the counts one
 * block of threads finds that of the k-th; and so on for three digits. Then each tile of a part counts what it has above the k-th magnitude and at it, the
 * tiles before are added up, and each writes its pairs where they belong.
 */
#include "numbers.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, CHUNK = 4 * TILE, RUN = 32, MOST_THREADS = 1024, PAIR_BYTES = 8 };

/* What is known of a part's k-th magnitude: its first digits, and how many that have them are still wanted. */
struct selection {
    uint32_t digits, wanted;
    uint32_t counts[DIGITS];
};

/* All NaNs have the largest. */
DEVICE uint32_t magnitude_of(float number)
{
    uint32_t magnitude = __float_as_uint(number) & MAGNITUDE_BITS;
    return magnitude > INFINITY_BITS ? MAGNITUDE_BITS : magnitude;
}

struct counting {
    struct source source;
    /* Takes the numbers, for what reads them later, if there is such an address. */
    uint64_t sums;
    uint64_t part_count, part_blocks, selections;
    /* The bits below the digits that are known, and below the next. */
    uint64_t shift, next;
};

KERNEL(top_k_count, struct counting)
{
    __shared__ uint32_t counts[DIGITS];
    uint64_t part = blockIdx.x / a.part_blocks, begin = part * a.part_count + blockIdx.x % a.part_blocks * CHUNK;
    uint64_t end = lower(begin + CHUNK, (part + 1) * a.part_count);
    struct selection *selection = GLOBAL(struct selection, a.selections, part + 1) + part;
    uint32_t digits = selection->digits, mask = (1U << (a.shift - a.next)) - 1;
    for (int i = threadIdx.x; i < DIGITS; i += THREADS) {
        counts[i] = 0;
    }
    __syncthreads();
    for (uint64_t first = begin + threadIdx.x * SIDE_BY_SIDE; first < end; first += THREADS * SIDE_BY_SIDE) {
        float numbers[SIDE_BY_SIDE];
        load_sum(&a.source, first, end, numbers);
        if (a.sums != 0) {
            store_floats(a.sums, first, end, numbers);
        }
        _Pragma("unroll")
        for (int k = 0; k < SIDE_BY_SIDE; k++) {
            uint32_t magnitude = magnitude_of(numbers[k]);
            if (first + k < end && magnitude >> a.shift == digits) {
                atomicAdd(&counts[magnitude >> a.next & mask], 1U);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < DIGITS; i += THREADS) {
        if (counts[i] != 0) {
            atomicAdd(&selection->counts[i], counts[i]);
        }
    }
}

/* Beside each run of sums is one that is empty, so that threads at different runs do not meet in one bank. */
DEVICE unsigned slot(unsigned thread)
{
    return thread + thread / RUN;
}

/* The sum of what all threads before have, and a thread's own. */
DEVICE uint64_t sum_up_to(uint64_t *sums, uint64_t own)
{
    uint64_t before = 0;
    sums[slot(threadIdx.x)] = own;
    __syncthreads();
    if (threadIdx.x < blockDim.x / RUN) {
        for (unsigned k = 1; k < RUN; k++) {
            sums[slot(threadIdx.x * RUN + k)] += sums[slot(threadIdx.x * RUN + k - 1)];
        }
    }
    __syncthreads();
    for (unsigned run = 0; run < threadIdx.x / RUN; run++) {
        before += sums[slot(run * RUN + RUN - 1)];
    }
    return before + sums[slot(threadIdx.x)];
}

struct choice {
    uint64_t selections;
    /* How many are wanted where no digit is known yet, else 0. */
    uint64_t wanted;
    uint64_t bits;
};

/* A block for each part, of which each thread has some digits, the first one the highest; the counts are zeros again. */
KERNEL(top_k_choose, struct choice)
{
    enum { OWN = DIGITS / THREADS };
    __shared__ uint64_t sums[THREADS + THREADS / RUN];
    struct selection *selection = GLOBAL(struct selection, a.selections, (uint64_t)blockIdx.x + 1) + blockIdx.x;
    uint32_t wanted = a.wanted != 0 ? (uint32_t)a.wanted : selection->wanted, digits = selection->digits, highest = DIGITS - 1 - threadIdx.x * OWN;
    uint32_t counts[OWN];
    uint64_t own = 0;
    _Pragma("unroll")
    for (int k = 0; k < OWN; k++) {
        counts[k] = selection->counts[highest - k];
        selection->counts[highest - k] = 0;
        own += counts[k];
    }
    uint64_t above = sum_up_to(sums, own) - own;
    if (above >= wanted || above + own < wanted) {
        return;
    }
    int k = 0;
    while (above + counts[k] < wanted) {
        above += counts[k];
        k++;
    }
    selection->digits = digits << a.bits | (highest - k);
    selection->wanted = wanted - (uint32_t)above;
}

/* Two counts in one: of those above the k-th magnitude, and of those at it. */
#define ONE_ABOVE 1ULL
#define ONE_AT (1ULL << 32)

DEVICE uint64_t count_of(float number, uint32_t least)
{
    uint32_t magnitude = magnitude_of(number);
    return magnitude > least ? ONE_ABOVE : magnitude == least ? ONE_AT : 0;
}

struct tile {
    struct source source;
    uint64_t part_count, part_blocks, selections, tallies;
};

/* A thread's numbers as elements of all, and their counts. */
struct share {
    uint64_t part, first, end, counts;
    uint32_t least;
    float numbers[OF_A_THREAD];
};

DEVICE void take_share(const struct tile *of, const struct selection *selections, struct share *share)
{
    share->part = blockIdx.x / of->part_blocks;
    share->end = (share->part + 1) * of->part_count;
    share->first = share->part * of->part_count + (blockIdx.x % of->part_blocks * THREADS + threadIdx.x) * OF_A_THREAD;
    share->least = selections[share->part].digits;
    share->counts = 0;
    load_sum(&of->source, share->first, share->end, share->numbers);
    load_sum(&of->source, share->first + SIDE_BY_SIDE, share->end, share->numbers + SIDE_BY_SIDE);
    _Pragma("unroll")
    for (int k = 0; k < OF_A_THREAD; k++) {
        if (share->first + k < share->end) {
            share->counts += count_of(share->numbers[k], share->least);
        }
    }
}

KERNEL(top_k_tally, struct tile)
{
    __shared__ uint64_t sums[THREADS + THREADS / RUN];
    struct share share;
    take_share(&a, GLOBAL(const struct selection, a.selections, gridDim.x / a.part_blocks), &share);
    uint64_t sum = sum_up_to(sums, share.counts);
    if (threadIdx.x == THREADS - 1) {
        GLOBAL(uint64_t, a.tallies, gridDim.x)[blockIdx.x] = sum;
    }
}

struct tallies {
    uint64_t tallies, part_blocks;
};

/* A block for each part: makes of the tally of each tile those of all tiles before. */
KERNEL(top_k_places, struct tallies)
{
    __shared__ uint64_t sums[MOST_THREADS + MOST_THREADS / RUN];
    uint64_t *tallies = GLOBAL(uint64_t, a.tallies, gridDim.x * a.part_blocks) + blockIdx.x * a.part_blocks;
    uint64_t own = (a.part_blocks + blockDim.x - 1) / blockDim.x, begin = lower(threadIdx.x * own, a.part_blocks), end = lower(begin + own, a.part_blocks);
    uint64_t sum = 0, before;
    for (uint64_t i = begin; i < end; i++) {
        sum += tallies[i];
    }
    before = sum_up_to(sums, sum) - sum;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t of_tile = tallies[i];
        tallies[i] = before;
        before += of_tile;
    }
}

struct writing {
    struct tile tile;
    uint64_t encoded, part_bytes;
    /* Where what is sent is taken away, if there is such an address. */
    uint64_t after;
};

DEVICE void store_pair(uint8_t *to, uint64_t index, float number)
{
    store_word(to, (uint32_t)index, 4);
    store_word(to + 4, number != number ? NAN_OF_FLOAT : __float_as_uint(number), 4);
}

KERNEL(top_k_write, struct writing)
{
    __shared__ uint64_t sums[THREADS + THREADS / RUN];
    const struct selection *selections = GLOBAL(const struct selection, a.tile.selections, gridDim.x / a.tile.part_blocks);
    struct share share;
    take_share(&a.tile, selections, &share);
    uint64_t before = sum_up_to(sums, share.counts) - share.counts + GLOBAL(const uint64_t, a.tile.tallies, gridDim.x)[blockIdx.x];
    if (share.counts == 0) {
        return;
    }
    uint64_t above = (uint32_t)before, at = before >> 32, wanted = selections[share.part].wanted;
    uint8_t *to = GLOBAL(uint8_t, a.encoded + share.part * a.part_bytes, a.part_bytes);
    _Pragma("unroll")
    for (int k = 0; k < OF_A_THREAD; k++) {
        uint64_t i = share.first + k, count = i < share.end ? count_of(share.numbers[k], share.least) : 0;
        if (count == ONE_ABOVE || (count == ONE_AT && at < wanted)) {
            store_pair(to + (above + lower(at, wanted)) * PAIR_BYTES, i - share.part * a.tile.part_count, share.numbers[k]);
            if (a.after != 0) {
                GLOBAL(float, a.after, share.end)[i] = share.numbers[k] - share.numbers[k];
            }
        }
        above += count == ONE_ABOVE;
        at += count == ONE_AT;
    }
}

struct pairs {
    uint64_t encoded, pairs, numbers, count, kind, adds;
    float weight;
};

KERNEL(top_k_clear, struct pairs)
{
    float zeros[SIDE_BY_SIDE] = {0};
    uint64_t first = (uint64_t)blockIdx.x * TILE + threadIdx.x * SIDE_BY_SIDE;
    store_four(a.kind, a.numbers, first, a.count, zeros);
    store_four(a.kind, a.numbers, first + TILE / 2, a.count, zeros);
}

/* Whether a pair's index is one of the part, and above the index before it. */
DEVICE int is_in_order(const uint8_t *pairs, uint64_t pair, uint64_t count)
{
    uint32_t index = load_word(pairs + pair * PAIR_BYTES, 4);
    return index < count && (pair == 0 || load_word(pairs + (pair - 1) * PAIR_BYTES, 4) < index);
}

DEVICE void put_number(const struct pairs *of, uint64_t index, float number)
{
    if (of->kind == FLOAT32) {
        float *to = GLOBAL(float, of->numbers, of->count) + index;
        *to = of->adds ? *to + number : number;
    } else {
        uint16_t *to = GLOBAL(uint16_t, of->numbers, of->count) + index;
        *to = half_of(of->kind, of->adds ? number_of(of->kind, *to) + number : number);
    }
}

KERNEL(top_k_scatter, struct pairs)
{
    uint64_t pair = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint8_t *pairs = GLOBAL(const uint8_t, a.encoded, a.pairs * PAIR_BYTES);
    if (pair < a.pairs && is_in_order(pairs, pair, a.count)) {
        put_number(&a, load_word(pairs + pair * PAIR_BYTES, 4), __uint_as_float(load_word(pairs + pair * PAIR_BYTES + 4, 4)) * a.weight);
    }
}

/* Makes the first number a NaN if a pair was left out, which no encoder has written. */
KERNEL(top_k_mark, struct pairs)
{
    uint64_t pair = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint8_t *pairs = GLOBAL(const uint8_t, a.encoded, a.pairs * PAIR_BYTES);
    if (pair < a.pairs && !is_in_order(pairs, pair, a.count)) {
        put_number(&a, 0, __uint_as_float(NAN_OF_FLOAT));
    }
}
