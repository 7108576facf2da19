/* The functions that allocate device memory and free it, at once or in the order of a stream. */
#include "memory.h"
#include <stdlib.h>

#define MEMORY_POOLS_SUPPORTED 115

static result allocate(uint64_t *address, size_t bytes, int state, block **out)
{
    if (bytes == 0 || address == NULL) {
        return INVALID_VALUE;
    }
    lock();
    result code = new_block(address, bytes, double_cuda_context_device(), state, out);
    unlock();
    return code;
}

API result cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    block *ignored;
    result code = enter("cuMemAlloc", 1);
    return code != SUCCESS ? code : allocate(address, bytes, LIVE, &ignored);
}

static void begin(void *argument)
{
    lock();
    (*(block **)argument)->state = LIVE;
    unlock();
}

static result on_stream(void *handle, void (*run)(void *), block *block, const char *function)
{
    struct block **argument = malloc(sizeof block);
    *argument = block;
    return enqueue(handle, run, argument, function);
}

API result cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream)
{
    block *made;
    result code = enter("cuMemAllocAsync", 1);
    if (code == SUCCESS && !device_attribute(MEMORY_POOLS_SUPPORTED)) {
        code = NOT_SUPPORTED;
    }
    code = code != SUCCESS ? code : allocate(address, bytes, FRESH, &made);
    return code != SUCCESS ? code : on_stream(stream, begin, made, "cuMemAllocAsync");
}

static result give_back(uint64_t address, block **out, const char *function)
{
    lock();
    block *found = block_of(address, 0);
    int is_live = found != NULL && found->address == address && !found->is_freed;
    if (is_live) {
        give_back_block(found);
    }
    unlock();
    if (!is_live) {
        fault("%s: no such memory, or freed before: address=%llx", function, (unsigned long long)address);
        return INVALID_VALUE;
    }
    *out = found;
    return SUCCESS;
}

static void finish(void *argument)
{
    lock();
    end_block(*(block **)argument);
    unlock();
}

API result cuMemFree_v2(uint64_t address)
{
    block *found;
    result code = enter("cuMemFree", 1);
    code = code != SUCCESS ? code : give_back(address, &found, "cuMemFree");
    if (code == SUCCESS) {
        finish(&found);
    }
    return code;
}

API result cuMemFreeAsync(uint64_t address, void *stream)
{
    block *found;
    result code = enter("cuMemFreeAsync", 1);
    code = code != SUCCESS ? code : give_back(address, &found, "cuMemFreeAsync");
    return code != SUCCESS ? code : on_stream(stream, finish, found, "cuMemFreeAsync");
}

API result cuMemGetInfo_v2(size_t *free, size_t *total)
{
    result code = enter("cuMemGetInfo", 1);
    if (code == SUCCESS) {
        lock();
        *total = world.memory == 0 ? SPACE : (size_t)world.memory;
        *free = *total - device_bytes(double_cuda_context_device());
        unlock();
    }
    return code;
}

API result cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
    result code = enter("cuMemGetAddressRange", 1);
    lock();
    block *found = block_of(address, 0);
    if (code == SUCCESS && found != NULL && !found->is_freed) {
        *base = found->address;
        *bytes = found->bytes;
    } else {
        code = code == SUCCESS ? INVALID_VALUE : code;
    }
    unlock();
    return code;
}

/* Of device memory only. */
API result cuPointerGetAttribute(void *value, int attribute, uint64_t address)
{
    enum { MEMORY_TYPE = 2, ORDINAL = 9, RANGE_START = 11, RANGE_SIZE = 12, DEVICE_MEMORY = 2 };
    result code = enter("cuPointerGetAttribute", 0);
    lock();
    block *found = block_of(address, 0);
    if (code == SUCCESS && (found == NULL || found->is_freed)) {
        code = INVALID_VALUE;
    } else if (code == SUCCESS && (attribute == MEMORY_TYPE || attribute == ORDINAL)) {
        *(int *)value = attribute == ORDINAL ? found->device : DEVICE_MEMORY;
    } else if (code == SUCCESS && (attribute == RANGE_START || attribute == RANGE_SIZE)) {
        *(uint64_t *)value = attribute == RANGE_START ? found->address : found->bytes;
    } else {
        code = code == SUCCESS ? INVALID_VALUE : code;
    }
    unlock();
    return code;
}
