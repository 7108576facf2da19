package io.reactivecomm.samples.programs.optimizer;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.Fidelity;
import io.reactivecomm.compression.OneBit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One-bit compression that fails once.
 *
 * @param left how many encodings go well before
 */
record FailingOneBit(OneBit oneBit, AtomicInteger left) implements Codec {

    static FailingOneBit after(int encodings) {
        return new FailingOneBit(new OneBit(), new AtomicInteger(encodings));
    }

    @Override
    public String label() {
        return "failing " + oneBit.label();
    }

    @Override
    public Fidelity fidelity() {
        return oneBit.fidelity();
    }

    @Override
    public double errorBound() {
        return oneBit.errorBound();
    }

    @Override
    public double bitsPerElement() {
        return oneBit.bitsPerElement();
    }

    @Override
    public long maxEncodedBytes(long count) {
        return oneBit.maxEncodedBytes(count);
    }

    @Override
    public boolean isFixedLength() {
        return oneBit.isFixedLength();
    }

    @Override
    public void encode(Tensor values, int parts, Tensor encoded, long[] lengths) {
        if (left.getAndDecrement() == 0) {
            throw new IllegalStateException("the one failure");
        }
        oneBit.encode(values, parts, encoded, lengths);
    }

    @Override
    public void decode(Tensor encoded, Tensor values) {
        oneBit.decode(encoded, values);
    }

    @Override
    public void decodeAndAdd(Tensor encoded, double weight, Tensor sum) {
        oneBit.decodeAndAdd(encoded, weight, sum);
    }
}
