/* Devices, contexts and the names of results. */
#include "world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16
#define VERSION 12060
#define ATTRIBUTES 256
#define CAN_USE_STREAM_MEM_OPS 92
#define MEMORY_POOLS_SUPPORTED 115
#define UNIFIED_ADDRESSING 41
#define COMPUTE_MAJOR 75
#define COMPUTE_MINOR 76

static _Thread_local context *stack[DEPTH];
static _Thread_local int depth;

static int attributes[ATTRIBUTES] = {
    [CAN_USE_STREAM_MEM_OPS] = 1, [MEMORY_POOLS_SUPPORTED] = 1, [UNIFIED_ADDRESSING] = 1, [122] = 1, [COMPUTE_MAJOR] = 9};

static const struct {
    int code;
    const char *name, *text;
} results[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {35, "CUDA_ERROR_INSUFFICIENT_DRIVER", "CUDA driver version is insufficient for CUDA runtime version"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static result describe(int code, const char **text, int is_name)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if (results[i].code == code) {
            *text = is_name ? results[i].name : results[i].text;
            return SUCCESS;
        }
    }
    *text = NULL;
    return INVALID_VALUE;
}

API result cuGetErrorName(int code, const char **name)
{
    return describe(code, name, 1);
}

API result cuGetErrorString(int code, const char **text)
{
    return describe(code, text, 0);
}

API result cuInit(unsigned flags)
{
    lock();
    world.is_initialized = 1;
    int devices = world.devices;
    unlock();
    result code = enter("cuInit", 0);
    return code != SUCCESS ? code : flags != 0 ? INVALID_VALUE : devices == 0 ? NO_DEVICE : SUCCESS;
}

API result cuDriverGetVersion(int *version)
{
    *version = VERSION;
    return SUCCESS;
}

static int is_device(int device)
{
    return device >= 0 && device < world.devices;
}

API result cuDeviceGetCount(int *count)
{
    result code = enter("cuDeviceGetCount", 0);
    *count = world.devices;
    return code;
}

API result cuDeviceGet(int *device, int ordinal)
{
    result code = enter("cuDeviceGet", 0);
    *device = ordinal;
    return code != SUCCESS ? code : is_device(ordinal) ? SUCCESS : INVALID_DEVICE;
}

API result cuDeviceGetName(char *name, int bytes, int device)
{
    snprintf(name, bytes, "Double of a GPU %d", device);
    return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

API result cuDeviceGetPCIBusId(char *id, int bytes, int device)
{
    snprintf(id, bytes, "0000:%02x:00.0", device + 1);
    return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

API result cuDeviceGetUuid(char *uuid, int device)
{
    memset(uuid, device + 1, 16);
    return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

API result cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = world.memory == 0 ? (size_t)1 << 36 : (size_t)world.memory;
    return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

API void double_cuda_attribute(int attribute, int value)
{
    lock();
    attributes[attribute] = value;
    unlock();
}

API result cuDeviceGetAttribute(int *value, int attribute, int device)
{
    result code = enter("cuDeviceGetAttribute", 0);
    if (code != SUCCESS || !is_device(device) || attribute < 0 || attribute >= ATTRIBUTES) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    lock();
    *value = attributes[attribute];
    unlock();
    return SUCCESS;
}

API result cuDeviceComputeCapability(int *major, int *minor, int device)
{
    *major = attributes[COMPUTE_MAJOR];
    *minor = attributes[COMPUTE_MINOR];
    return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

API result cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer;
    return is_device(device) && is_device(peer) ? SUCCESS : INVALID_DEVICE;
}

API result cuCtxEnablePeerAccess(context *peer, unsigned flags)
{
    return flags != 0 || !is_context(peer) ? INVALID_VALUE : SUCCESS;
}

int is_context(const context *context)
{
    return context >= world.primary && context < world.primary + DEVICES && context->retained > 0;
}

context *current(void)
{
    return depth == 0 ? NULL : stack[depth - 1];
}

API int double_cuda_context_device(void)
{
    return current() == NULL ? -1 : current()->device;
}

API result cuDevicePrimaryCtxRetain(context **out, int device)
{
    result code = enter("cuDevicePrimaryCtxRetain", 0);
    if (code != SUCCESS || !is_device(device)) {
        return code != SUCCESS ? code : INVALID_DEVICE;
    }
    lock();
    world.primary[device].device = device;
    world.primary[device].retained++;
    world.count[CONTEXTS]++;
    *out = &world.primary[device];
    unlock();
    return SUCCESS;
}

/* With the last one goes what was made in the context: whoever has left something there has lost it. */
API result cuDevicePrimaryCtxRelease_v2(int device)
{
    result code = enter("cuDevicePrimaryCtxRelease", 0);
    if (code != SUCCESS || device < 0 || device >= DEVICES || world.primary[device].retained == 0) {
        return code != SUCCESS ? code : INVALID_CONTEXT;
    }
    context *released = &world.primary[device];
    if (released->retained == 1) {
        close_standard(released);
    }
    lock();
    released->retained--;
    world.count[CONTEXTS]--;
    int streams = 0;
    for (stream *each = world.streams; each != NULL; each = each->next) {
        streams += each->context == released && !each->is_closing;
    }
    int64_t bytes = device_bytes(device);
    int is_last = released->retained == 0;
    unlock();
    if (is_last && (streams != 0 || bytes != 0)) {
        fault("a context was released with %d streams and %lld bytes in it: device=%d", streams, (long long)bytes, device);
    }
    return SUCCESS;
}

API result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active)
{
    *flags = 0;
    *is_active = is_device(device) && world.primary[device].retained > 0;
    return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

API result cuCtxPushCurrent_v2(context *pushed)
{
    result code = enter("cuCtxPushCurrent", 0);
    if (code != SUCCESS || depth == DEPTH || !is_context(pushed)) {
        return code != SUCCESS ? code : INVALID_CONTEXT;
    }
    stack[depth++] = pushed;
    return SUCCESS;
}

API result cuCtxPopCurrent_v2(context **popped)
{
    if (depth == 0) {
        fault("cuCtxPopCurrent without a context on this thread");
        return INVALID_CONTEXT;
    }
    context *top = stack[--depth];
    if (popped != NULL) {
        *popped = top;
    }
    return SUCCESS;
}

API result cuCtxSetCurrent(context *set)
{
    result code = enter("cuCtxSetCurrent", 0);
    if (code != SUCCESS || (set != NULL && !is_context(set))) {
        return code != SUCCESS ? code : INVALID_CONTEXT;
    }
    depth = depth > 0 ? depth - 1 : 0;
    if (set != NULL) {
        stack[depth++] = set;
    }
    return SUCCESS;
}

API result cuCtxGetCurrent(context **out)
{
    *out = current();
    return SUCCESS;
}

API result cuCtxGetDevice(int *device)
{
    *device = double_cuda_context_device();
    return *device < 0 ? INVALID_CONTEXT : SUCCESS;
}

API result cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return enter("cuCtxGetStreamPriorityRange", 1);
}

int device_attribute(int attribute)
{
    return attributes[attribute];
}
