package io.reactivecomm.shm;

import java.io.IOException;

/** A heap over all but the first page of a file of its own, which ends with the heap or at the latest here. */
final class HeapFile implements AutoCloseable {

    static final int PAGE = 4096;

    final SharedFile file;
    final SharedHeap heap;

    /** @param bytes of the heap */
    HeapFile(long bytes) throws IOException {
        file = SharedFile.create(PAGE + bytes);
        heap = new SharedHeap(file, PAGE, bytes);
    }

    boolean isOpen() {
        return file.memory().scope().isAlive();
    }

    @Override
    public void close() {
        if (isOpen()) {
            file.close();
        }
    }
}
