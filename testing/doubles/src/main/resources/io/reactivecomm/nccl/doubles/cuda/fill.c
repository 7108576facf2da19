/* Fills of device memory. */
#include "world.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t to;
    size_t count;
    unsigned value, width;
} fill;

static void do_fill(void *argument)
{
    fill *asked = argument;
    char *to = reach(asked->to, asked->count * asked->width, "cuMemset");
    for (size_t i = 0; to != NULL && i < asked->count; i++) {
        memcpy(to + i * asked->width, &asked->value, asked->width);
    }
}

static result fill_later(uint64_t to, unsigned value, unsigned width, size_t count, void *stream)
{
    result code = enter("cuMemsetAsync", 1);
    if (code != SUCCESS || count == 0) {
        return code;
    }
    if (to % width != 0 || !is_known_device_memory(to, count * width)) {
        fault("cuMemsetAsync: not live, out of bounds, or not aligned: to=%llx, bytes=%zu", (unsigned long long)to, count * width);
        return INVALID_VALUE;
    }
    fill *asked = malloc(sizeof *asked);
    *asked = (fill){to, count, value, width};
    return enqueue(stream, do_fill, asked, "cuMemsetAsync");
}

static result fill_now(uint64_t to, unsigned value, unsigned width, size_t count)
{
    result code = fill_later(to, value, width, count, NULL);
    if (code == SUCCESS && count > 0) {
        drain(stream_of(NULL));
    }
    return code;
}

API result cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream)
{
    return fill_later(to, value, 1, count, stream);
}

API result cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream)
{
    return fill_later(to, value, 2, count, stream);
}

API result cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream)
{
    return fill_later(to, value, 4, count, stream);
}

API result cuMemsetD8_v2(uint64_t to, unsigned char value, size_t count)
{
    return fill_now(to, value, 1, count);
}

API result cuMemsetD16_v2(uint64_t to, unsigned short value, size_t count)
{
    return fill_now(to, value, 2, count);
}

API result cuMemsetD32_v2(uint64_t to, unsigned value, size_t count)
{
    return fill_now(to, value, 4, count);
}
