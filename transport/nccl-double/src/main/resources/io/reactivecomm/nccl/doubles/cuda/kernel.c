/* Modules of PTX. A kernel is not compiled: those that this double knows by name are written here once more, and run on their stream's thread. */
#include "world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_PTX = 218, NOT_FOUND = 500, MOST_THREADS = 1024 };

typedef struct {
    char *text;
} module;

typedef struct launch {
    void (*run)(const struct launch *launch);
    uint32_t threads;
    uint64_t out;
    uint32_t turns;
} launch;

static void spin(const launch *launch)
{
    uint32_t *out = reach(launch->out, 4 * (uint64_t)launch->threads, "spin");
    for (uint32_t thread = 0; out != NULL && thread < launch->threads; thread++) {
        uint32_t x = thread;
        for (uint32_t i = 0; i < launch->turns; i++) {
            x = x * 1664525 + 1013904223;
        }
        out[thread] = x;
    }
}

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

API result cuModuleGetFunction(void (**out)(const launch *), const module *module, const char *name)
{
    char entry[128];
    result code = enter("cuModuleGetFunction", 1);
    snprintf(entry, sizeof entry, ".entry %s(", name);
    if (code != SUCCESS || strstr(module->text, entry) == NULL || strcmp(name, "spin") != 0) {
        return code != SUCCESS ? code : NOT_FOUND;
    }
    *out = spin;
    return SUCCESS;
}

static void run(void *argument)
{
    const launch *asked = argument;
    asked->run(asked);
}

API result cuLaunchKernel(void (*function)(const launch *), unsigned x, unsigned y, unsigned z, unsigned width, unsigned height, unsigned depth,
    unsigned shared, void *stream, void **parameters, void **extra)
{
    result code = enter("cuLaunchKernel", 1);
    if (code != SUCCESS) {
        return code;
    }
    if (function != spin || x == 0 || y * z * height * depth != 1 || width == 0 || width > MOST_THREADS || shared != 0 || extra != NULL) {
        fault("cuLaunchKernel: no such kernel, or not of its form: blocks=%u, threads=%u", x, width);
        return INVALID_VALUE;
    }
    launch *asked = malloc(sizeof *asked);
    *asked = (launch){function, x * width, *(uint64_t *)parameters[0], *(uint32_t *)parameters[1]};
    return enqueue(stream, run, asked, "cuLaunchKernel");
}
