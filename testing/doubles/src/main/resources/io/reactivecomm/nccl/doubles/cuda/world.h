/*
 * The double's own state. One lock guards all of it; it is not held while something runs on a stream.
 */
#ifndef WORLD_H
#define WORLD_H

#include "double_cuda.h"
#include <pthread.h>
#include <stddef.h>

#define API DOUBLE_CUDA_EXPORT
#define DEVICES 8
#define FAULT_BYTES 256

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
};

enum { ALLOCATIONS, PINNED, STREAMS, EVENTS, CONTEXTS, KINDS_HELD };

typedef int result;

typedef struct context {
    int device;
    int retained;
    struct stream *standard;
} context;

typedef struct operation {
    void (*run)(void *argument);
    void *argument;
    struct operation *next;
} operation;

/* A place in a stream that has been reached or not; events and waits share it. */
typedef struct marker {
    int users;
    int is_done;
    int64_t nanos;
} marker;

typedef struct stream {
    context *context;
    operation *first, *last;
    int is_busy, is_closing, is_capturing;
    unsigned flags;
    pthread_t thread;
    struct stream *next;
} stream;

typedef struct event {
    context *context;
    marker *marker;
    int is_timed;
} event;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_initialized, devices, broken[DEVICES], held[DEVICES], delay;
    int64_t memory;
    int64_t count[KINDS_HELD];
    context primary[DEVICES];
    stream *streams;
} world_state;

extern world_state world;

void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
void lock(void);
void unlock(void);
/* Counts a call, and gives the result that is injected for it, or that of a driver not initialized, without a context or with a broken one. */
result enter(const char *function, int needs_context);
context *current(void);
int device_attribute(int attribute);
int is_context(const context *context);

/* What an address belongs to: all is checked when the work is done, and whether it is there at all when it is enqueued. */
int pinned_covers(const void *host, uint64_t bytes);
int is_known_device_memory(uint64_t address, uint64_t bytes);
/* Where the double reaches the bytes of a device or of pinned memory; NULL and a fault if it may not. */
void *reach(uint64_t address, uint64_t bytes, const char *function);
int64_t device_bytes(int device);
int device_of(uint64_t address);

/* Enqueues on a stream of the current context; the argument is freed after the run. */
result enqueue(void *handle, void (*run)(void *), void *argument, const char *function);
stream *stream_of(void *handle);
stream *new_stream(context *context, unsigned flags);
void close_stream(stream *closed);
int is_device_broken(const stream *stream);
void drain(stream *stream);
void close_standard(context *context);

#endif
