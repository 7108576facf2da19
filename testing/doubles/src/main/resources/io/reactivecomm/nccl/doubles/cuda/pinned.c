/* Memory of the host that devices reach. */
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>
#include <sys/mman.h>

typedef struct pinned {
    char *address;
    uint64_t bytes;
    int is_registered;
    struct pinned *next;
} pinned;

static pinned *pins;

int pinned_covers(const void *host, uint64_t bytes)
{
    const char *first = host;
    lock();
    pinned *each = pins;
    while (each != NULL && (first < each->address || first >= each->address + each->bytes)) {
        each = each->next;
    }
    int covers = each != NULL && bytes <= (uint64_t)(each->address + each->bytes - first);
    unlock();
    return covers;
}

static result pin(void *address, size_t bytes, int is_registered)
{
    pinned *made = malloc(sizeof *made);
    lock();
    *made = (pinned){address, bytes, is_registered, pins};
    pins = made;
    world.count[PINNED]++;
    unlock();
    return SUCCESS;
}

static result unpin(const char *address, int is_registered, const char *function)
{
    lock();
    pinned **link = &pins;
    while (*link != NULL && ((*link)->address != address || (*link)->is_registered != is_registered)) {
        link = &(*link)->next;
    }
    pinned *found = *link;
    if (found != NULL) {
        *link = found->next;
        world.count[PINNED]--;
    }
    unlock();
    if (found == NULL) {
        fault("%s: no such pinned memory: address=%p", function, (const void *)address);
        return INVALID_VALUE;
    }
    if (!is_registered) {
        munmap(found->address, found->bytes);
    }
    free(found);
    return SUCCESS;
}

API result cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    result code = enter("cuMemHostAlloc", 1);
    if (code != SUCCESS || bytes == 0 || flags > 7) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    *address = made;
    return pin(made, bytes, 0);
}

API result cuMemAllocHost_v2(void **address, size_t bytes)
{
    return cuMemHostAlloc(address, bytes, 0);
}

API result cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags)
{
    result code = enter("cuMemHostRegister", 1);
    return code != SUCCESS ? code : flags > 15 || bytes == 0 ? INVALID_VALUE : pin(address, bytes, 1);
}

API result cuMemFreeHost(void *address)
{
    result code = enter("cuMemFreeHost", 1);
    return code != SUCCESS ? code : unpin(address, 0, "cuMemFreeHost");
}

API result cuMemHostUnregister(void *address)
{
    result code = enter("cuMemHostUnregister", 1);
    return code != SUCCESS ? code : unpin(address, 1, "cuMemHostUnregister");
}

API result cuMemHostGetDevicePointer_v2(uint64_t *device, void *address, unsigned flags)
{
    result code = enter("cuMemHostGetDevicePointer", 1);
    *device = (uint64_t)address;
    return code != SUCCESS ? code : flags != 0 || !pinned_covers(address, 1) ? INVALID_VALUE : SUCCESS;
}
