#define _GNU_SOURCE
#include "stream.h"
#include "dialect.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "DOUBLE_CUDA_LIBRARY"

struct work {
    void (*run)(void *);
    void *argument;
    struct work *next;
};

/* A stream of the host's. It has a thread for ever. */
struct stream {
    void *handle;
    long thread;
    struct work *first, *last;
    long given, done;
    pthread_cond_t changed;
    struct stream *next;
};

static struct {
    void *(*map)(uint64_t, uint64_t);
    int (*knows)(uint64_t, uint64_t);
    int (*enqueue)(void *, void (*)(void *), void *);
    int (*context_device)(void);
    void (*fault)(const char *);
    int (*alloc)(uint64_t *, size_t);
    int (*free)(uint64_t);
} cuda;
static pthread_once_t looked = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;

static void take(void *library) {
    if (dlsym(library, "double_cuda_enqueue") == NULL) {
        return;
    }
    cuda.map = (void *(*)(uint64_t, uint64_t)) dlsym(library, "double_cuda_map");
    cuda.knows = (int (*)(uint64_t, uint64_t)) dlsym(library, "double_cuda_knows");
    cuda.context_device = (int (*)(void)) dlsym(library, "double_cuda_context_device");
    cuda.fault = (void (*)(const char *)) dlsym(library, "double_cuda_fault");
    cuda.alloc = (int (*)(uint64_t *, size_t)) dlsym(library, "cuMemAlloc_v2");
    cuda.free = (int (*)(uint64_t)) dlsym(library, "cuMemFree_v2");
    cuda.enqueue = (int (*)(void *, void (*)(void *), void *)) dlsym(library, "double_cuda_enqueue");
}

/* Among all that is loaded for everybody, then what is loaded by CUDA's name, then by the path that a test has told. */
static void look(void) {
    take(RTLD_DEFAULT);
    void *loaded = cuda.enqueue == NULL ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (loaded != NULL) {
        take(loaded);
    }
    const char *path = getenv(VARIABLE);
    if (cuda.enqueue == NULL && path != NULL && (loaded = dlopen(path, RTLD_NOW)) != NULL) {
        take(loaded);
    }
}

/* Returns whether that is the double of CUDA. Without a path none is used, whatever is loaded. */
EXPORT int double_nccl_use_cuda(const char *path) {
    pthread_once(&looked, look);
    memset(&cuda, 0, sizeof(cuda));
    if (*path == '\0') {
        return 0;
    }
    void *library = dlopen(path, RTLD_NOW);
    if (library != NULL) {
        take(library);
    }
    return library != NULL && cuda.enqueue != NULL;
}

int has_cuda(void) {
    pthread_once(&looked, look);
    return cuda.enqueue != NULL;
}

char *mapped(const void *address, size_t bytes) {
    return has_cuda() && bytes > 0 ? cuda.map((uint64_t) (uintptr_t) address, bytes) : (char *) address;
}

int is_known(const void *address, size_t bytes) {
    int is_asked = has_cuda() && bytes > 0 && cuda.knows != NULL;
    return is_asked ? cuda.knows((uint64_t) (uintptr_t) address, bytes) : mapped(address, bytes) != NULL || bytes == 0;
}

int current_device(void) { return has_cuda() ? cuda.context_device() : 0; }

void tell_cuda_of_fault(const char *text) {
    if (has_cuda()) {
        cuda.fault(text);
    }
}

void *device_alloc(size_t bytes) {
    uint64_t address = 0;
    if (!has_cuda()) {
        return calloc(1, bytes == 0 ? 1 : bytes);
    }
    return cuda.alloc(&address, bytes) == 0 ? (void *) (uintptr_t) address : NULL;
}

int device_free(void *address) {
    if (has_cuda()) {
        return cuda.free((uint64_t) (uintptr_t) address);
    }
    free(address);
    return 0;
}

static void *run_stream(void *argument) {
    struct stream *stream = argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (stream->first == NULL) {
            pthread_cond_wait(&stream->changed, &lock);
        }
        struct work *work = stream->first;
        stream->first = work->next;
        pthread_mutex_unlock(&lock);
        work->run(work->argument);
        free(work);
        pthread_mutex_lock(&lock);
        stream->done++;
        pthread_cond_broadcast(&stream->changed);
    }
    return NULL;
}

/* The null stream is one for each thread, as there may be ranks in one process. */
static struct stream *stream_of(void *handle) {
    long thread = handle == NULL ? gettid() : 0;
    for (struct stream *each = streams; each != NULL; each = each->next) {
        if (each->handle == handle && each->thread == thread) {
            return each;
        }
    }
    struct stream *stream = calloc(1, sizeof(struct stream));
    stream->handle = handle;
    stream->thread = thread;
    stream->next = streams;
    streams = stream;
    pthread_cond_init(&stream->changed, NULL);
    pthread_t started;
    pthread_create(&started, NULL, run_stream, stream);
    pthread_detach(started);
    return stream;
}

int enqueue(void *handle, void (*run)(void *), void *argument) {
    if (has_cuda()) {
        return cuda.enqueue(handle, run, argument);
    }
    struct work *work = calloc(1, sizeof(struct work));
    work->run = run;
    work->argument = argument;
    pthread_mutex_lock(&lock);
    struct stream *stream = stream_of(handle);
    if (stream->first == NULL) {
        stream->first = work;
    } else {
        stream->last->next = work;
    }
    stream->last = work;
    stream->given++;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* Where there is no CUDA: waits until all work of a stream has ended. */
EXPORT void double_nccl_synchronize(void *handle) {
    pthread_mutex_lock(&lock);
    struct stream *stream = stream_of(handle);
    long given = stream->given;
    while (stream->done < given) {
        pthread_cond_wait(&stream->changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

/* Where there is no CUDA: whether all work of a stream has ended. */
EXPORT int double_nccl_is_idle(void *handle) {
    pthread_mutex_lock(&lock);
    struct stream *stream = stream_of(handle);
    int is_idle = stream->done == stream->given;
    pthread_mutex_unlock(&lock);
    return is_idle;
}
