/*
 * The streams that work runs on, and the memory that it touches: the CUDA double's where it is loaded, else threads of its own and the host's memory.
 */
#ifndef DOUBLE_NCCL_STREAM_H
#define DOUBLE_NCCL_STREAM_H

#include <stddef.h>

/* Where memory may be touched; null if not all of it is live. */
char *mapped(const void *address, size_t bytes);

/* Whether memory is allocated and not freed, though the stream that allocates it may not have come there yet. */
int is_known(const void *address, size_t bytes);

/* Runs it on the stream, after what was given to it before. Returns 0, or a CUDA result. */
int enqueue(void *stream, void (*run)(void *), void *argument);

/* The device of this thread's context; -1 if it has none, 0 where there is no CUDA. */
int current_device(void);

int has_cuda(void);

void tell_cuda_of_fault(const char *text);

void *device_alloc(size_t bytes);

int device_free(void *address);

#endif
