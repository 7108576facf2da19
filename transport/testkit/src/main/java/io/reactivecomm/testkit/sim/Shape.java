package io.reactivecomm.testkit.sim;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Operation;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.collective.ReduceScatter;
import io.reactivecomm.collective.Signature;

/**
 * What is called, apart from the tensors: all that ranks agree on, and whether input and output share memory, on which they need not.
 *
 * @param count as the operation's signature counts
 * @param root the root in the group, where there is one
 * @param op the reduction, where there is one
 */
record Shape(Operation operation, DType type, long count, int root, ReduceOp op, boolean inPlace) {

    /** {@return whether the call has one tensor that is both its input and its output, or no tensor} */
    boolean hasOneTensor() {
        return switch (operation) {
            case REDUCE, BROADCAST, BARRIER, MESSAGE -> true;
            case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER -> false;
        };
    }

    boolean reduces() {
        return switch (operation) {
            case ALL_REDUCE, REDUCE, REDUCE_SCATTER -> true;
            case BROADCAST, ALL_GATHER, BARRIER, MESSAGE -> false;
        };
    }

    /** {@return the elements that a rank puts in} */
    long inputCount(int size) {
        return operation == Operation.REDUCE_SCATTER ? count * size : operation == Operation.BARRIER ? 0 : count;
    }

    /** {@return the elements that a rank gets out} */
    long outputCount(int size) {
        return operation == Operation.ALL_GATHER ? count * size : operation == Operation.BARRIER ? 0 : count;
    }

    /** {@return what the engine says of the call} */
    String describe() {
        return new Signature(operation, type, count, hasRoot() ? root : Signature.NO_ROOT, reduces() ? op : null).describe();
    }

    /** {@return the call, for operations without a peer} */
    Collective collective(Tensor input, Tensor output) {
        return switch (operation) {
            case ALL_REDUCE -> new AllReduce(input, output, op);
            case REDUCE -> new Reduce(output, root, op);
            case BROADCAST -> new Broadcast(output, root);
            case ALL_GATHER -> new AllGather(input, output);
            case REDUCE_SCATTER -> new ReduceScatter(input, output, op);
            case BARRIER -> new Barrier();
            case MESSAGE -> throw new IllegalArgumentException("a message has a peer");
        };
    }

    /** {@return what a rank that disagrees could call instead} */
    Shape otherThan(Dice dice, int size) {
        Shape other = this;
        while (other.equals(this)) {
            other = switch (dice.below(4)) {
                case 0 -> new Shape(operation, type, count == 0 ? 5 : dice.below((int) count), root, op, inPlace);
                case 1 -> ofType(type == DType.INT32 ? DType.FLOAT32 : DType.INT32);
                case 2 -> new Shape(operation, type, count, hasRoot() ? dice.below(size) : root, op, inPlace);
                default -> reduces() ? new Shape(operation, type, count, root, op == ReduceOp.MIN ? ReduceOp.MAX : ReduceOp.MIN, inPlace) : odd();
            };
            if (operation == Operation.BARRIER) {
                other = odd();
            }
        }
        return other;
    }

    private Shape ofType(DType other) {
        return reduces() && !op.supports(other) ? this : new Shape(operation, other, count, root, op, inPlace);
    }

    private boolean hasRoot() {
        return operation == Operation.BROADCAST || operation == Operation.REDUCE;
    }

    private Shape odd() {
        return switch (operation) {
            case MESSAGE -> new Shape(operation, type, count + 1, root, op, inPlace);
            case BARRIER -> new Shape(Operation.ALL_REDUCE, DType.INT32, 3, 0, ReduceOp.SUM, inPlace);
            case ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER -> new Shape(Operation.BARRIER, DType.UINT8, 0, 0, op, inPlace);
        };
    }

    @Override
    public String toString() {
        return operation + "(" + type + " × " + count + (hasRoot() ? ", root=" + root : "") + (reduces() ? ", " + op : "") + ")"
                + (inPlace ? " in place" : "");
    }
}
