/* The kernels whose CUDA C is compiled into this double. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>

typedef struct {
    const char *name;
    void (*run)(const void *arguments);
    size_t bytes;
} kernel;

const kernel *kernel_named(const char *name);
/* Runs a whole grid, on this thread. */
void run_kernel(const kernel *asked, unsigned blocks, unsigned width, const void *arguments);

#endif
