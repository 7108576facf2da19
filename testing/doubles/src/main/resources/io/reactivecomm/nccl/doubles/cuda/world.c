/* Faults, injected results and what has been called. */
#include "world.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS 256
#define FUNCTIONS 400

world_state world = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .devices = 4};

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
static char faults[FAULTS][FAULT_BYTES];
static int fault_count;

static struct {
    char name[64];
    int64_t calls;
} functions[FUNCTIONS];
static int function_count;

static struct {
    char name[64];
    int result, skip, times;
} injected;

void lock(void)
{
    pthread_mutex_lock(&world.lock);
}

void unlock(void)
{
    pthread_mutex_unlock(&world.lock);
}

API void double_cuda_fault(const char *text)
{
    pthread_mutex_lock(&fault_lock);
    if (fault_count < FAULTS) {
        snprintf(faults[fault_count++], FAULT_BYTES, "%s", text);
    }
    pthread_mutex_unlock(&fault_lock);
}

void fault(const char *format, ...)
{
    char text[FAULT_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    double_cuda_fault(text);
}

API int double_cuda_fault_text(int index, char *text, int bytes)
{
    pthread_mutex_lock(&fault_lock);
    int is_there = index >= 0 && index < fault_count;
    if (is_there && bytes > 0) {
        snprintf(text, bytes, "%s", faults[index]);
    }
    pthread_mutex_unlock(&fault_lock);
    return is_there;
}

API void double_cuda_forget_faults(void)
{
    pthread_mutex_lock(&fault_lock);
    fault_count = 0;
    pthread_mutex_unlock(&fault_lock);
}

/* Holds the lock. */
static int64_t *calls_of(const char *function)
{
    for (int i = 0; i < function_count; i++) {
        if (strcmp(functions[i].name, function) == 0) {
            return &functions[i].calls;
        }
    }
    if (function_count == FUNCTIONS) {
        abort();
    }
    snprintf(functions[function_count].name, sizeof functions[0].name, "%s", function);
    return &functions[function_count++].calls;
}

API int64_t double_cuda_calls(const char *function)
{
    lock();
    int64_t calls = *calls_of(function);
    unlock();
    return calls;
}

API void double_cuda_fail(const char *function, int result, int skip, int times)
{
    lock();
    snprintf(injected.name, sizeof injected.name, "%s", function);
    injected.result = result;
    injected.skip = skip;
    injected.times = times;
    unlock();
}

/* Holds the lock. */
static result injection(const char *function)
{
    if (injected.times == 0 || strcmp(injected.name, function) != 0) {
        return SUCCESS;
    }
    if (injected.skip > 0) {
        injected.skip--;
        return SUCCESS;
    }
    injected.times--;
    return injected.result;
}

result enter(const char *function, int needs_context)
{
    context *here = current();
    lock();
    ++*calls_of(function);
    result code = injection(function);
    if (code == SUCCESS && !world.is_initialized) {
        code = NOT_INITIALIZED;
    } else if (code == SUCCESS && needs_context && here == NULL) {
        code = INVALID_CONTEXT;
        fault("%s without a context on this thread", function);
    } else if (code == SUCCESS && needs_context && world.broken[here->device] != 0) {
        code = world.broken[here->device];
    }
    unlock();
    return code;
}

API void double_cuda_devices(int count)
{
    lock();
    world.devices = count;
    unlock();
}

API void double_cuda_memory(int64_t bytes)
{
    lock();
    world.memory = bytes;
    unlock();
}

/* Holds the lock. */
static int is_any_busy(int device)
{
    int is_busy = 0;
    for (stream *each = world.streams; each != NULL; each = each->next) {
        is_busy |= each->context->device == device && (each->first != NULL || each->is_busy);
    }
    return is_busy;
}

/* What was enqueued on a broken device is thrown away before it is mended. */
API void double_cuda_break(int device, int result)
{
    lock();
    while (result == 0 && world.broken[device] != 0 && is_any_busy(device)) {
        pthread_cond_wait(&world.changed, &world.lock);
    }
    world.broken[device] = result;
    pthread_cond_broadcast(&world.changed);
    unlock();
}

API void double_cuda_hold(int device, int is_held)
{
    lock();
    world.held[device] = is_held;
    pthread_cond_broadcast(&world.changed);
    unlock();
}

API void double_cuda_delay(int microseconds)
{
    lock();
    world.delay = microseconds;
    unlock();
}

API int64_t double_cuda_held(int what)
{
    lock();
    int64_t held = 0;
    if (what < KINDS_HELD) {
        held = world.count[what];
    } else {
        for (int device = 0; device < DEVICES; device++) {
            held += device_bytes(device);
        }
    }
    unlock();
    return held;
}
