package io.reactivecomm.internal.transfer;

import java.util.Arrays;

/** The remote operands of one fold. Owned by the loop. */
final class FoldInputs {

    private static final FoldInput[] NONE = new FoldInput[0];

    private FoldInput[] inputs = NONE;
    private int count;

    void add(FoldInput input) {
        if (count == inputs.length) {
            inputs = Arrays.copyOf(inputs, Math.max(1, count * 2));
        }
        inputs[count++] = input;
    }

    int count() {
        return count;
    }

    FoldInput get(int index) {
        return inputs[index];
    }

    /** {@return up to where all are ready, and no further than that limit} */
    long ready(long limit) {
        long ready = limit;
        for (int i = 0; i < count; i++) {
            ready = Math.min(ready, inputs[i].ready());
        }
        return ready;
    }

    /** {@return whether there are any, and all of them came whole, with their announcement} */
    boolean areWhole() {
        for (int i = 0; i < count; i++) {
            if (!inputs[i].isEager()) {
                return false;
            }
        }
        return count > 0;
    }

    /** {@return how many come in pieces, which are asked for} */
    int inPieces() {
        int inPieces = 0;
        for (int i = 0; i < count; i++) {
            inPieces += inputs[i].isEager() ? 0 : 1;
        }
        return inPieces;
    }

    /** {@return the rank whose operand that is, or {@link TransferFault#OWN}} */
    int ownerOf(int operand) {
        for (int i = 0; i < count; i++) {
            if (inputs[i].operand() == operand) {
                return inputs[i].edges().path().rank();
            }
        }
        return TransferFault.OWN;
    }

    /** {@return the rank that has freed an operand of the piece that it had lent, or {@link TransferFault#OWN}} */
    int faultyLender(Stage stage) {
        for (int i = 0; i < count; i++) {
            if (!stage.remote(inputs[i].operand()).scope().isAlive()) {
                return inputs[i].edges().path().rank();
            }
        }
        return TransferFault.OWN;
    }
}
