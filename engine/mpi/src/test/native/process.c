/* Handles: addresses of entries, or for MPICH their numbers. An entry that is freed is not used again for a while, so that its handle is known to be old. */
#include "process.h"
#include <stdlib.h>

#define CHUNK 256
#define MOST_CHUNKS 65536
#define LEAST_OLD 1024

struct entry {
    enum kind kind;
    int is_alive;
    void *object;
    struct entry *next_old;
    int number;
};

struct meeting *meeting;
int own_rank;

static struct entry *chunks[MOST_CHUNKS];
static int entries;
static int alive[KIND_ERRHANDLER + 1];
static struct entry *first_old, *last_old;
static int old;

NULLS
ALL_NAMES(DEFINE)

int number_of(enum kind kind, handle value) {
    static const struct predefined names[] = {ALL_NAMES(ENTER)};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].kind == kind && names[i].value == value) {
            return names[i].what;
        }
    }
    return -1;
}

#if defined(DIALECT_MPICH)

static const int prefixes[] = {0x84000000, 0x88000000, 0x98000000};

static handle handle_of(const struct entry *entry) { return prefixes[entry->kind] | entry->number; }

static struct entry *entry_of(handle value) {
    int number = value & 0x03ffffff;
    struct entry *entry = number < entries ? &chunks[number / CHUNK][number % CHUNK] : NULL;
    return entry != NULL && handle_of(entry) == value ? entry : NULL;
}

#else

static handle handle_of(const struct entry *entry) { return (handle) entry; }

static struct entry *entry_of(handle value) {
    uintptr_t address = (uintptr_t) value;
    for (int i = 0; i * CHUNK < entries; i++) {
        uintptr_t first = (uintptr_t) chunks[i];
        if (address >= first && address < first + CHUNK * sizeof(struct entry)) {
            return (address - first) % sizeof(struct entry) == 0 ? (struct entry *) value : NULL;
        }
    }
    return NULL;
}

#endif

handle new_handle(enum kind kind, void *object) {
    struct entry *entry;
    if (old > LEAST_OLD) {
        entry = first_old;
        first_old = entry->next_old;
        old--;
    } else {
        if (entries % CHUNK == 0) {
            chunks[entries / CHUNK] = calloc(CHUNK, sizeof(struct entry));
        }
        entry = &chunks[entries / CHUNK][entries % CHUNK];
        entry->number = entries++;
    }
    entry->kind = kind;
    entry->is_alive = 1;
    entry->object = object;
    alive[kind]++;
    return handle_of(entry);
}

void *object_of(enum kind kind, handle value) {
    struct entry *entry = entry_of(value);
    return entry != NULL && entry->is_alive && entry->kind == kind ? entry->object : NULL;
}

void free_handle(handle value) {
    struct entry *entry = entry_of(value);
    entry->is_alive = 0;
    alive[entry->kind]--;
    entry->next_old = NULL;
    if (old++ == 0) {
        first_old = entry;
    } else {
        last_old->next_old = entry;
    }
    last_old = entry;
}

int handles_of(enum kind kind) { return alive[kind]; }

void forget_handles(void) {
    for (int i = 0; i * CHUNK < entries; i++) {
        free(chunks[i]);
    }
    entries = 0;
    old = 0;
}
