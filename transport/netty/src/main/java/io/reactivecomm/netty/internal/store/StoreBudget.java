package io.reactivecomm.netty.internal.store;

import io.reactivecomm.spi.rendezvous.Rendezvous;

/**
 * The memory that a store may fill: all keys, values and queues together.
 *
 * <p><b>Errors.</b> An {@link IllegalArgumentException} with the sentence for the requester.
 *
 * <p><b>Threads.</b> The store's.
 */
final class StoreBudget {

    /** Addresses and ids of any world fit, data does not. */
    static final long MAX_BYTES = 64L * 1024 * 1024;

    /** What an entry costs besides its characters and bytes: a node of a tree, a string, two arrays. */
    static final int ENTRY_BYTES = 160;

    private long used;

    /** {@return what an entry of that name costs} */
    static long sizeOf(String name, byte[] value) {
        return ENTRY_BYTES + 2L * name.length() + value.length;
    }

    /** Replaces an entry's size by another, unless the store would be too full. */
    void change(String name, long from, long to) {
        long size = used - from + to;
        if (to > from && size > MAX_BYTES) {
            throw new IllegalArgumentException("the store is full: name=" + name + ", bytes=" + size + ", most="
                    + MAX_BYTES + "; delete keys and empty queues no longer needed");
        }
        used = size;
    }

    /** Refuses a value that is too long. */
    static void requireValue(String name, long lengthBytes) {
        if (lengthBytes > Rendezvous.MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value is too long for the store: key=" + name + ", bytes=" + lengthBytes
                    + ", most=" + Rendezvous.MAX_VALUE_BYTES + "; use a collective for data");
        }
    }
}
