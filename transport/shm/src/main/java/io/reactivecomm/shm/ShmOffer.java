package io.reactivecomm.shm;

import io.reactivecomm.spi.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The offer of a rank to the others: where it is, and how they find its memory.
 *
 * @param host the identity of its machine
 * @param pid its process
 * @param descriptor its file, or {@link #NONE}
 * @param bytes the file's size
 * @param nonce what stands in the file, so that no other is taken for it, as of a process with the same number elsewhere
 */
record ShmOffer(String host, long pid, int descriptor, long bytes, String nonce) {

    /** A rank that has no memory to show. */
    static final int NONE = -1;

    private static final String SEPARATOR = "\n";
    private static final int FIELDS = 6;

    static ShmOffer none(String host) {
        return new ShmOffer(host, 0, NONE, 0, "");
    }

    byte[] encode() {
        return String.join(
                        SEPARATOR,
                        Long.toString(SharedFileLayout.VERSION),
                        Long.toString(pid),
                        Integer.toString(descriptor),
                        Long.toString(bytes),
                        nonce,
                        host)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** @throws ProtocolException if it is none, or of another version */
    static ShmOffer decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        String[] fields = text.split(SEPARATOR, FIELDS);
        try {
            if (fields.length == FIELDS && Long.parseLong(fields[0]) == SharedFileLayout.VERSION) {
                return new ShmOffer(
                        fields[5],
                        Long.parseLong(fields[1]),
                        Integer.parseInt(fields[2]),
                        Long.parseLong(fields[3]),
                        fields[4]);
            }
        } catch (NumberFormatException e) {
            throw new ProtocolException("broken offer of shared memory: fields=" + Arrays.toString(fields));
        }
        throw new ProtocolException("offer of shared memory of another version: known=" + SharedFileLayout.VERSION
                + ", fields=" + Arrays.toString(fields));
    }
}
