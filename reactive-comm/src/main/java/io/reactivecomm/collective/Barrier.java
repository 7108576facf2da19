package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import java.util.function.Supplier;

/**
 * Every rank waits for every other.
 *
 * @param agreed the words that all ranks have to give alike, or an empty text; no rank passes the barrier if one gives others
 */
public record Barrier(String agreed) implements NoTensor {

    private static final Signature SIGNATURE =
            new Signature(Operation.BARRIER, DType.UINT8, 0, Signature.NO_ROOT, null);

    /** A barrier that agrees on nothing. */
    public Barrier() {
        this("");
    }

    @Override
    public Operation operation() {
        return Operation.BARRIER;
    }

    @Override
    public Signature signature() {
        if (agreed.isEmpty()) {
            return SIGNATURE;
        }
        long agreement = agreed.length();
        for (int i = 0; i < agreed.length(); i++) {
            agreement = Fingerprint.mix(agreement, agreed.charAt(i));
        }
        return new Signature(Operation.BARRIER, DType.UINT8, 0, Signature.NO_ROOT, null, agreement);
    }

    @Override
    public Supplier<String> words() {
        return agreed.isEmpty() ? SIGNATURE::describe : this::agreed;
    }

    @Override
    public Barrier checkedFor(int rank, int size) {
        return this;
    }
}
