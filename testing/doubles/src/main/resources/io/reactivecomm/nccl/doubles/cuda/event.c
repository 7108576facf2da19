/* Events, and words that streams write. */
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>
#include <time.h>

/* Holds the lock. */
static void leave(marker *marker)
{
    if (marker != NULL && --marker->users == 0) {
        free(marker);
    }
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

API result cuEventCreate(event **out, unsigned flags)
{
    result code = enter("cuEventCreate", 1);
    if (code != SUCCESS || flags > 7) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    event *made = calloc(1, sizeof *made);
    made->context = current();
    made->is_timed = (flags & 2) == 0;
    lock();
    world.count[EVENTS]++;
    unlock();
    *out = made;
    return SUCCESS;
}

API result cuEventDestroy_v2(event *event)
{
    result code = enter("cuEventDestroy", 0);
    if (code != SUCCESS || event == NULL) {
        return code != SUCCESS ? code : INVALID_HANDLE;
    }
    lock();
    leave(event->marker);
    world.count[EVENTS]--;
    unlock();
    free(event);
    return SUCCESS;
}

static void reach_marker(void *argument)
{
    marker *reached = *(marker **)argument;
    lock();
    reached->is_done = 1;
    reached->nanos = now();
    leave(reached);
    pthread_cond_broadcast(&world.changed);
    unlock();
}

static void *holding(marker *marker)
{
    struct marker **argument = malloc(sizeof marker);
    *argument = marker;
    return argument;
}

API result cuEventRecord(event *event, void *handle)
{
    result code = enter("cuEventRecord", 1);
    if (code != SUCCESS) {
        return code;
    }
    if (event->context != current()) {
        fault("cuEventRecord: the event is of another context than the current one");
        return INVALID_HANDLE;
    }
    marker *made = calloc(1, sizeof *made);
    made->users = 2;
    code = enqueue(handle, reach_marker, holding(made), "cuEventRecord");
    lock();
    if (code == SUCCESS) {
        leave(event->marker);
        event->marker = made;
    } else {
        free(made);
    }
    unlock();
    return code;
}

API result cuEventRecordWithFlags(event *event, void *handle, unsigned flags)
{
    return flags > 1 ? INVALID_VALUE : cuEventRecord(event, handle);
}

/* Holds the lock. */
static result state_of(const event *event)
{
    int broken = world.broken[event->context->device];
    return broken != 0 ? broken : event->marker == NULL || event->marker->is_done ? SUCCESS : NOT_READY;
}

API result cuEventQuery(event *event)
{
    result code = enter("cuEventQuery", 0);
    lock();
    code = code != SUCCESS ? code : state_of(event);
    unlock();
    return code;
}

API result cuEventSynchronize(event *event)
{
    result code = enter("cuEventSynchronize", 0);
    lock();
    while (code == SUCCESS && state_of(event) == NOT_READY) {
        pthread_cond_wait(&world.changed, &world.lock);
    }
    code = code != SUCCESS ? code : state_of(event);
    unlock();
    return code;
}

API result cuEventElapsedTime(float *milliseconds, const event *from, const event *to)
{
    if (!from->is_timed || !to->is_timed || from->marker == NULL || to->marker == NULL) {
        return INVALID_HANDLE;
    }
    lock();
    int is_done = from->marker->is_done && to->marker->is_done;
    *milliseconds = (float)(to->marker->nanos - from->marker->nanos) / 1e6f;
    unlock();
    return is_done ? SUCCESS : NOT_READY;
}

/* Holds the lock. */
static int is_any_broken(void)
{
    int broken = 0;
    for (int device = 0; device < DEVICES; device++) {
        broken |= world.broken[device] != 0;
    }
    return broken;
}

static void wait_marker(void *argument)
{
    marker *awaited = *(marker **)argument;
    lock();
    while (!awaited->is_done && !is_any_broken()) {
        pthread_cond_wait(&world.changed, &world.lock);
    }
    leave(awaited);
    unlock();
}

/* The event may be of another context than the stream; what it stands for is settled now. */
API result cuStreamWaitEvent(void *handle, event *event, unsigned flags)
{
    result code = enter("cuStreamWaitEvent", 1);
    if (code != SUCCESS || flags > 1) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    lock();
    marker *awaited = event->marker;
    if (awaited != NULL) {
        awaited->users++;
    }
    unlock();
    return awaited == NULL ? SUCCESS : enqueue(handle, wait_marker, holding(awaited), "cuStreamWaitEvent");
}

typedef struct {
    uint64_t address;
    uint32_t value;
} word;

static void write_word(void *argument)
{
    word *written = argument;
    uint32_t *there = reach(written->address, sizeof *there, "cuStreamWriteValue32");
    if (there != NULL) {
        __atomic_store_n(there, written->value, __ATOMIC_RELEASE);
    }
}

API result cuStreamWriteValue32_v2(void *handle, uint64_t address, uint32_t value, unsigned flags)
{
    enum { FIRST_ATTRIBUTE = 92, SECOND_ATTRIBUTE = 122 };
    result code = enter("cuStreamWriteValue32", 1);
    if (code == SUCCESS && !device_attribute(FIRST_ATTRIBUTE) && !device_attribute(SECOND_ATTRIBUTE)) {
        code = NOT_SUPPORTED;
    }
    if (code != SUCCESS || flags > 1 || address % sizeof value != 0) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    word *written = malloc(sizeof *written);
    *written = (word){address, value};
    return enqueue(handle, write_word, written, "cuStreamWriteValue32");
}
