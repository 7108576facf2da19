package io.reactivecomm.compression.reduce;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.Fidelity;
import io.reactivecomm.compression.OneBit;
import java.util.function.Consumer;

/** One bit an element, by a codec that tells somebody, who may throw, where it is. */
record FaultyCodec(Consumer<String> at) implements Codec {

    private static final Codec SOUND = new OneBit();

    @Override
    public String label() {
        return "faulty";
    }

    @Override
    public Fidelity fidelity() {
        return SOUND.fidelity();
    }

    @Override
    public double errorBound() {
        return SOUND.errorBound();
    }

    @Override
    public double bitsPerElement() {
        return SOUND.bitsPerElement();
    }

    @Override
    public long maxEncodedBytes(long count) {
        at.accept("maxEncodedBytes");
        return SOUND.maxEncodedBytes(count);
    }

    @Override
    public boolean isFixedLength() {
        return true;
    }

    @Override
    public void encode(Tensor values, int parts, Tensor encoded, long[] lengths) {
        at.accept("encode");
        SOUND.encode(values, parts, encoded, lengths);
    }

    @Override
    public void decode(Tensor encoded, Tensor values) {
        at.accept("decode");
        SOUND.decode(encoded, values);
    }

    @Override
    public void decodeAndAdd(Tensor encoded, double weight, Tensor sum) {
        at.accept("decodeAndAdd");
        SOUND.decodeAndAdd(encoded, weight, sum);
    }
}
