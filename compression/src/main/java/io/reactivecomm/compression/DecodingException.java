package io.reactivecomm.compression;

import io.reactivecomm.CommException;

/**
 * Bytes that no encoder of the codec has written: they were changed or cut on their way, come from another codec or version, or the program mixes
 * up parts. The target of the failed call is as it was before.
 */
public class DecodingException extends CommException {

    private static final long serialVersionUID = 1L;

    public DecodingException(String message) {
        super(message);
    }

    /**
     * {@return an exception that says who could not read what, and where}
     *
     * @param codec the label of the codec
     * @param facts the field and its values, such as {@code index=7, count=5}
     * @param byteOffset where the field begins in the part
     */
    static DecodingException at(String codec, String facts, long byteOffset) {
        return new DecodingException("cannot decode: codec=" + codec + ", " + facts + ", byteOffset=" + byteOffset
                + "; give the bytes of one part as the same codec has encoded it");
    }
}
