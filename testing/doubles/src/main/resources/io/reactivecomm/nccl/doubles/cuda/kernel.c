/*
 * Modules of PTX. They are not compiled: a kernel is run from its CUDA C, which is compiled into this double, or is the one that is written here once
 * more. What the PTX says of its arguments has to be what its source says.
 */
#include "kernels.h"
#include "world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_PTX = 218, NOT_FOUND = 500, MOST_THREADS = 1024 };

typedef struct {
    char *text;
} module;

typedef struct {
    const kernel *kernel;
    unsigned blocks, width;
    char arguments[];
} launch;

struct spin {
    uint64_t out;
    uint32_t turns;
    uint32_t threads;
};

static void spin(const void *arguments)
{
    const struct spin *asked = arguments;
    uint32_t *out = reach(asked->out, 4 * (uint64_t)asked->threads, "spin");
    for (uint32_t thread = 0; out != NULL && thread < asked->threads; thread++) {
        uint32_t x = thread;
        for (uint32_t i = 0; i < asked->turns; i++) {
            x = x * 1664525 + 1013904223;
        }
        out[thread] = x;
    }
}

static const kernel SPIN = {"spin", spin, sizeof(struct spin)};

API result cuModuleLoadData(module **out, const char *image)
{
    result code = enter("cuModuleLoadData", 1);
    if (code != SUCCESS || strstr(image, ".version") == NULL || strstr(image, ".target") == NULL) {
        return code != SUCCESS ? code : INVALID_PTX;
    }
    *out = malloc(sizeof **out);
    (*out)->text = strdup(image);
    return SUCCESS;
}

API result cuModuleUnload(module *unloaded)
{
    result code = enter("cuModuleUnload", 1);
    if (code != SUCCESS || unloaded == NULL) {
        return code != SUCCESS ? code : INVALID_HANDLE;
    }
    free(unloaded->text);
    free(unloaded);
    return SUCCESS;
}

/* The bytes of the one structure that an entry takes; 0 if it takes anything else. */
static size_t parameter_bytes(const char *entry, const char *name)
{
    char parameter[160];
    snprintf(parameter, sizeof parameter, ".b8 %s_param_0[", name);
    const char *found = strstr(entry, parameter), *end = strchr(entry, ')');
    return found == NULL || found > end ? 0 : strtoul(found + strlen(parameter), NULL, 10);
}

API result cuModuleGetFunction(const kernel **out, const module *module, const char *name)
{
    char text[128];
    result code = enter("cuModuleGetFunction", 1);
    snprintf(text, sizeof text, ".entry %s(", name);
    const char *entry = strstr(module->text, text);
    const kernel *found = strcmp(name, "spin") == 0 ? &SPIN : kernel_named(name);
    if (code != SUCCESS || entry == NULL || found == NULL) {
        return code != SUCCESS ? code : NOT_FOUND;
    }
    if (found != &SPIN && parameter_bytes(entry, name) != found->bytes) {
        fault("cuModuleGetFunction: the PTX of a kernel is not that of its source: kernel=%s, bytes=%zu", name, found->bytes);
        return INVALID_PTX;
    }
    *out = found;
    return SUCCESS;
}

static void run(void *argument)
{
    const launch *asked = argument;
    if (asked->kernel == &SPIN) {
        spin(asked->arguments);
    } else {
        run_kernel(asked->kernel, asked->blocks, asked->width, asked->arguments);
    }
}

API result cuLaunchKernel(const kernel *function, unsigned x, unsigned y, unsigned z, unsigned width, unsigned height, unsigned depth,
    unsigned shared, void *stream, void **parameters, void **extra)
{
    result code = enter("cuLaunchKernel", 1);
    if (code != SUCCESS) {
        return code;
    }
    if (x == 0 || y * z * height * depth != 1 || width == 0 || width > MOST_THREADS || shared != 0 || extra != NULL) {
        fault("cuLaunchKernel: not of its form: kernel=%s, blocks=%u, threads=%u", function->name, x, width);
        return INVALID_VALUE;
    }
    launch *asked = malloc(sizeof *asked + function->bytes);
    *asked = (launch){function, x, width};
    if (function == &SPIN) {
        *(struct spin *)asked->arguments = (struct spin){*(uint64_t *)parameters[0], *(uint32_t *)parameters[1], x * width};
    } else {
        memcpy(asked->arguments, parameters[0], function->bytes);
    }
    return enqueue(stream, run, asked, "cuLaunchKernel");
}
