/* Copies and fills. What is asynchronous takes pinned memory of the host only: with other memory the real one blocks. */
#include "world.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t to, from;
    size_t bytes;
    const char *function;
} copy;

static void do_copy(void *argument)
{
    copy *asked = argument;
    void *to = reach(asked->to, asked->bytes, asked->function);
    void *from = reach(asked->from, asked->bytes, asked->function);
    if (to != NULL && from != NULL) {
        memmove(to, from, asked->bytes);
    }
}

static int is_there(uint64_t address, size_t bytes)
{
    return device_of(address) < 0 ? pinned_covers((void *)address, bytes) : is_known_device_memory(address, bytes);
}

static result later(uint64_t to, uint64_t from, size_t bytes, void *stream, const char *function)
{
    result code = enter(function, 1);
    if (code != SUCCESS || bytes == 0) {
        return code;
    }
    if (!is_there(to, bytes) || !is_there(from, bytes)) {
        fault("%s: not live, out of bounds, or not pinned: to=%llx, from=%llx, bytes=%zu", function, (unsigned long long)to,
            (unsigned long long)from, bytes);
        return INVALID_VALUE;
    }
    copy *asked = malloc(sizeof *asked);
    *asked = (copy){to, from, bytes, function};
    return enqueue(stream, do_copy, asked, function);
}

/* One side of a copy: a device's, or the host's of any kind. */
static void *side(uint64_t address, size_t bytes, const char *function)
{
    return device_of(address) < 0 ? (void *)address : reach(address, bytes, function);
}

static result at_once(uint64_t to, uint64_t from, size_t bytes, const char *function)
{
    result code = enter(function, 1);
    if (code != SUCCESS || bytes == 0) {
        return code;
    }
    drain(stream_of(NULL));
    void *there = side(to, bytes, function);
    void *here = side(from, bytes, function);
    if (there == NULL || here == NULL) {
        return INVALID_VALUE;
    }
    memmove(there, here, bytes);
    return SUCCESS;
}

API result cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    return at_once(to, (uint64_t)from, bytes, "cuMemcpyHtoD");
}

API result cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    return at_once((uint64_t)to, from, bytes, "cuMemcpyDtoH");
}

API result cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    return at_once(to, from, bytes, "cuMemcpyDtoD");
}

API result cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    return at_once(to, from, bytes, "cuMemcpy");
}

API result cuMemcpyPeer(uint64_t to, context *there, uint64_t from, context *here, size_t bytes)
{
    return !is_context(there) || !is_context(here) ? INVALID_CONTEXT : at_once(to, from, bytes, "cuMemcpyPeer");
}

API result cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
    return later(to, (uint64_t)from, bytes, stream, "cuMemcpyHtoDAsync");
}

API result cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    return later((uint64_t)to, from, bytes, stream, "cuMemcpyDtoHAsync");
}

/* Within one device. */
API result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    if (device_of(to) != device_of(from)) {
        fault("cuMemcpyDtoDAsync between two devices, which only peers can do: to=%d, from=%d", device_of(to), device_of(from));
    }
    return later(to, from, bytes, stream, "cuMemcpyDtoDAsync");
}

API result cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return later(to, from, bytes, stream, "cuMemcpyAsync");
}

API result cuMemcpyPeerAsync(uint64_t to, context *there, uint64_t from, context *here, size_t bytes, void *stream)
{
    if (!is_context(there) || !is_context(here) || device_of(to) != there->device || device_of(from) != here->device) {
        fault("cuMemcpyPeerAsync: an address is not of its context's device");
        return INVALID_CONTEXT;
    }
    return later(to, from, bytes, stream, "cuMemcpyPeerAsync");
}
