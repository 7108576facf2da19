/* The driver's functions of streams. */
#include "world.h"
#include <stdlib.h>

API result cuStreamCreateWithPriority(stream **out, unsigned flags, int priority)
{
    result code = enter("cuStreamCreate", 1);
    if (code != SUCCESS || flags > 1 || priority > 0) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    *out = new_stream(current(), flags);
    lock();
    world.count[STREAMS]++;
    unlock();
    return SUCCESS;
}

API result cuStreamCreate(stream **out, unsigned flags)
{
    return cuStreamCreateWithPriority(out, flags, 0);
}

/* What was enqueued is still done. */
API result cuStreamDestroy_v2(stream *handle)
{
    result code = enter("cuStreamDestroy", 0);
    stream *found = code != SUCCESS || handle == NULL ? NULL : stream_of(handle);
    if (found == NULL) {
        fault("cuStreamDestroy: no such stream, or destroyed before: stream=%p", (void *)handle);
        return code != SUCCESS ? code : INVALID_HANDLE;
    }
    close_stream(found);
    lock();
    world.count[STREAMS]--;
    unlock();
    return SUCCESS;
}

/* Holds the lock. */
static int is_idle(const stream *stream)
{
    return stream->first == NULL && !stream->is_busy;
}

void drain(stream *stream)
{
    lock();
    while (!is_idle(stream) && !is_device_broken(stream)) {
        pthread_cond_wait(&world.changed, &world.lock);
    }
    unlock();
}

static result find(void *handle, stream **out, const char *function)
{
    result code = enter(function, (uintptr_t)handle <= 2);
    *out = code != SUCCESS ? NULL : stream_of(handle);
    return code == SUCCESS && *out == NULL ? INVALID_HANDLE : code;
}

API result cuStreamQuery(void *handle)
{
    stream *found;
    result code = find(handle, &found, "cuStreamQuery");
    if (code == SUCCESS) {
        lock();
        code = is_device_broken(found) ? world.broken[found->context->device] : is_idle(found) ? SUCCESS : NOT_READY;
        unlock();
    }
    return code;
}

API result cuStreamSynchronize(void *handle)
{
    stream *found;
    result code = find(handle, &found, "cuStreamSynchronize");
    if (code != SUCCESS) {
        return code;
    }
    drain(found);
    return world.broken[found->context->device];
}

API result cuCtxSynchronize(void)
{
    result code = enter("cuCtxSynchronize", 1);
    if (code != SUCCESS) {
        return code;
    }
    context *here = current();
    lock();
    for (stream *each = world.streams; each != NULL && world.broken[here->device] == 0;) {
        if (each->context == here && !is_idle(each)) {
            pthread_cond_wait(&world.changed, &world.lock);
            each = world.streams;
        } else {
            each = each->next;
        }
    }
    unlock();
    return world.broken[here->device];
}

API result cuStreamGetCtx(void *handle, context **out)
{
    stream *found;
    result code = find(handle, &found, "cuStreamGetCtx");
    if (code == SUCCESS) {
        *out = found->context;
    }
    return code;
}

API result cuStreamGetFlags(void *handle, unsigned *flags)
{
    stream *found;
    result code = find(handle, &found, "cuStreamGetFlags");
    *flags = code == SUCCESS ? found->flags : 0;
    return code;
}

API result cuStreamBeginCapture_v2(void *handle, int mode)
{
    stream *found;
    result code = find(handle, &found, "cuStreamBeginCapture");
    if (code == SUCCESS && (handle == NULL || mode > 2 || found->is_capturing)) {
        code = INVALID_VALUE;
    }
    if (code == SUCCESS) {
        found->is_capturing = 1;
    }
    return code;
}

API result cuStreamEndCapture(void *handle, void **graph)
{
    stream *found;
    result code = find(handle, &found, "cuStreamEndCapture");
    if (code == SUCCESS && !found->is_capturing) {
        code = INVALID_VALUE;
    }
    if (code == SUCCESS) {
        found->is_capturing = 0;
        *graph = NULL;
    }
    return code;
}

API result cuStreamIsCapturing(void *handle, int *status)
{
    stream *found;
    result code = find(handle, &found, "cuStreamIsCapturing");
    *status = code == SUCCESS && found->is_capturing;
    return code;
}

API result cuThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int own;
    int before = own;
    own = *mode;
    *mode = before;
    return SUCCESS;
}
