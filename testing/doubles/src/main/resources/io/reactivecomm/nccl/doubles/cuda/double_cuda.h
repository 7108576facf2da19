/*
 * What the double of the CUDA driver has beside the driver's own functions. Tests and the double of NCCL use it; it is found by dlsym.
 */
#ifndef DOUBLE_CUDA_H
#define DOUBLE_CUDA_H

#include <stdint.h>

#define DOUBLE_CUDA_EXPORT __attribute__((visibility("default")))

/*
 * Where the doubles may touch device memory; NULL unless all of it is live memory of one allocation. The device addresses themselves are
 * PROT_NONE.
 */
DOUBLE_CUDA_EXPORT void *double_cuda_map(uint64_t device_address, uint64_t bytes);

/* Whether memory of a device is allocated and not freed, by what has been enqueued: its stream may not have come there yet. */
DOUBLE_CUDA_EXPORT int double_cuda_knows(uint64_t device_address, uint64_t bytes);
/* Runs it on the stream's own thread, in order, after what is enqueued before; it may block there until others come. Returns 0, or a CUresult. */
DOUBLE_CUDA_EXPORT int double_cuda_enqueue(void *stream, void (*run)(void *argument), void *argument);
/* The ordinal of the device whose context is current on this thread; -1 if none. */
DOUBLE_CUDA_EXPORT int double_cuda_context_device(void);

/* Notes a fault in the use of CUDA or NCCL; tests read them and require none. */
DOUBLE_CUDA_EXPORT void double_cuda_fault(const char *text);
/* 0 if there is no such fault. */
DOUBLE_CUDA_EXPORT int double_cuda_fault_text(int index, char *text, int bytes);
DOUBLE_CUDA_EXPORT void double_cuda_forget_faults(void);

/* What nobody has freed: in order allocations, pinned blocks, streams, events, retained contexts, and bytes of device memory. */
DOUBLE_CUDA_EXPORT int64_t double_cuda_held(int what);
/* How often a function has been called. */
DOUBLE_CUDA_EXPORT int64_t double_cuda_calls(const char *function);

/* How many devices there are from now on, at most 8; 4 at first. */
DOUBLE_CUDA_EXPORT void double_cuda_devices(int count);
/* The bytes that each device has; 0 for as many as there are addresses. */
DOUBLE_CUDA_EXPORT void double_cuda_memory(int64_t bytes);
/* The value of an attribute of all devices. */
DOUBLE_CUDA_EXPORT void double_cuda_attribute(int attribute, int value);
/* Lets a function return a result in place of doing anything: so many times, after so many calls that do well. Only one function at a time. */
DOUBLE_CUDA_EXPORT void double_cuda_fail(const char *function, int result, int skip, int times);
/* Breaks a device's contexts by a sticky error, or mends them by 0. What is enqueued there is not done. */
DOUBLE_CUDA_EXPORT void double_cuda_break(int device, int result);
/* Lets a device's streams do nothing, or go on. */
DOUBLE_CUDA_EXPORT void double_cuda_hold(int device, int is_held);
/* Lets everything on a stream take so much longer. */
DOUBLE_CUDA_EXPORT void double_cuda_delay(int microseconds);

#endif
