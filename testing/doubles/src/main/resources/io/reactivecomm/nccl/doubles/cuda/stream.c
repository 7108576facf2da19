/* The threads of streams, which do in order what is enqueued. */
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>
#include <unistd.h>

enum { PER_THREAD = 2 };

static int is_stream(const stream *handle)
{
    for (stream *each = world.streams; each != NULL; each = each->next) {
        if (each == handle) {
            return !each->is_closing;
        }
    }
    return 0;
}

stream *stream_of(void *handle)
{
    if ((uintptr_t)handle <= PER_THREAD) {
        context *here = current();
        if (here != NULL && here->standard == NULL) {
            here->standard = new_stream(here, 0);
        }
        return here == NULL ? NULL : here->standard;
    }
    lock();
    int is_known = is_stream(handle);
    unlock();
    return is_known ? handle : NULL;
}

int is_device_broken(const stream *stream)
{
    return world.broken[stream->context->device] != 0;
}

/* Holds the lock. */
static void forget(stream *closed)
{
    stream **link = &world.streams;
    while (*link != closed) {
        link = &(*link)->next;
    }
    *link = closed->next;
    pthread_cond_broadcast(&world.changed);
}

/* Holds the lock. */
static operation *take(stream *own)
{
    while ((world.held[own->context->device] && !is_device_broken(own)) || (own->first == NULL && !own->is_closing)) {
        pthread_cond_wait(&world.changed, &world.lock);
    }
    operation *next = own->first;
    if (next != NULL) {
        own->first = next->next;
        own->last = own->first == NULL ? NULL : own->last;
        own->is_busy = 1;
    }
    return next;
}

static void *work(void *argument)
{
    stream *own = argument;
    lock();
    for (operation *next = take(own); next != NULL; next = take(own)) {
        int is_lost = is_device_broken(own);
        int delay = world.delay;
        unlock();
        if (!is_lost && delay > 0) {
            usleep(delay);
        }
        if (!is_lost) {
            next->run(next->argument);
        }
        free(next);
        lock();
        own->is_busy = 0;
        pthread_cond_broadcast(&world.changed);
    }
    forget(own);
    unlock();
    free(own);
    return NULL;
}

stream *new_stream(context *context, unsigned flags)
{
    stream *made = calloc(1, sizeof *made);
    made->context = context;
    made->flags = flags;
    lock();
    made->next = world.streams;
    world.streams = made;
    unlock();
    pthread_create(&made->thread, NULL, work, made);
    pthread_detach(made->thread);
    return made;
}

void close_stream(stream *closed)
{
    lock();
    closed->is_closing = 1;
    pthread_cond_broadcast(&world.changed);
    unlock();
}

void close_standard(context *context)
{
    if (context->standard != NULL) {
        close_stream(context->standard);
        context->standard = NULL;
    }
}

/* The argument of the double's own work is freed after it. */
typedef struct {
    void (*run)(void *);
    void *argument;
} own_work;

static void run_own(void *argument)
{
    own_work *own = argument;
    own->run(own->argument);
    free(own->argument);
    free(own);
}

static result append(stream *stream, void (*run)(void *), void *argument)
{
    operation *made = malloc(sizeof *made);
    *made = (operation){run, argument, NULL};
    lock();
    if (stream->last == NULL) {
        stream->first = made;
    } else {
        stream->last->next = made;
    }
    stream->last = made;
    pthread_cond_broadcast(&world.changed);
    unlock();
    return SUCCESS;
}

/* What may be enqueued: on a stream of the current context that captures nothing. */
static result admit(void *handle, stream **out, const char *function)
{
    stream *stream = stream_of(handle);
    if (stream == NULL) {
        fault("%s: no such stream, or destroyed before: stream=%p", function, handle);
        return INVALID_HANDLE;
    }
    if (stream->context != current()) {
        fault("%s: a stream of device %d, while the context of device %d is current", function, stream->context->device,
            double_cuda_context_device());
        return INVALID_HANDLE;
    }
    if (stream->is_capturing) {
        fault("%s on a stream that captures a graph", function);
        return CAPTURE_UNSUPPORTED;
    }
    *out = stream;
    return SUCCESS;
}

result enqueue(void *handle, void (*run)(void *), void *argument, const char *function)
{
    stream *stream = NULL;
    result code = admit(handle, &stream, function);
    if (code != SUCCESS) {
        free(argument);
        return code;
    }
    own_work *own = malloc(sizeof *own);
    *own = (own_work){run, argument};
    return append(stream, run_own, own);
}

API int double_cuda_enqueue(void *handle, void (*run)(void *), void *argument)
{
    stream *stream = NULL;
    result code = enter("double_cuda_enqueue", 1);
    code = code != SUCCESS ? code : admit(handle, &stream, "double_cuda_enqueue");
    return code != SUCCESS ? code : append(stream, run, argument);
}
