package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checks that the operations share, each with the sentence its failure deserves. */
final class Checks {

    private Checks() {}

    static Tensor usable(Operation operation, String role, @Nullable Tensor tensor) {
        if (tensor == null) {
            throw invalid(operation, "got no " + role + ": " + role + "=null; pass a tensor on every rank");
        }
        if (tensor.isClosed() && !isKept(tensor)) {
            throw invalid(
                    operation,
                    "got a closed tensor: " + role + "=" + tensor + "; keep it open until the call has ended");
        }
        return tensor;
    }

    /** {@return whether a composite call keeps a closed tensor for the calls inside} */
    private static boolean isKept(Tensor tensor) {
        boolean isBorrowed = tensor.borrow();
        if (isBorrowed) {
            tensor.giveBack();
        }
        return isBorrowed;
    }

    /** {@return a list that nobody changes, of at least one usable tensor} */
    static List<Tensor> usable(Operation operation, String role, @Nullable List<Tensor> tensors) {
        List<Tensor> kept = usableOrNone(operation, role, tensors);
        if (kept.isEmpty()) {
            throw invalid(operation, "got no " + role + ": " + role + "s=[]; pass at least one tensor");
        }
        return kept;
    }

    /** {@return a list that nobody changes, of usable tensors} */
    static List<Tensor> usableOrNone(Operation operation, String role, @Nullable List<Tensor> tensors) {
        if (tensors == null) {
            throw invalid(
                    operation,
                    "got no list of tensors: " + role + "s=null; pass a list, empty where there is nothing to pass");
        }
        for (Tensor tensor : tensors) {
            usable(operation, role, tensor);
        }
        return List.copyOf(tensors);
    }

    /** {@return a list of one tensor, which may be missing still: {@link #usable} finds that} */
    static List<Tensor> one(@Nullable Tensor tensor) {
        return tensor == null ? Collections.singletonList(tensor) : List.of(tensor);
    }

    static void reducible(Operation operation, DType type, @Nullable Reduction op) {
        if (op == null) {
            throw invalid(operation, "got no reduction: op=null; pass one, such as ReduceOp.SUM");
        }
        if (!op.supports(type)) {
            throw new UnsupportedCollectiveException(operation.label() + " cannot reduce this type: op=" + op.label()
                    + ", type=" + type + "; see ReduceOp for what each takes, or convert the tensor");
        }
    }

    static void sameType(Operation operation, List<Tensor> inputs, List<Tensor> outputs) {
        DType type =
                inputs.isEmpty() ? outputs.getFirst().type() : inputs.getFirst().type();
        sameType(operation, "input", type, inputs);
        sameType(operation, "output", type, outputs);
    }

    private static void sameType(Operation operation, String role, DType type, List<Tensor> tensors) {
        for (int i = 0; i < tensors.size(); i++) {
            DType other = tensors.get(i).type();
            if (other != type) {
                throw invalid(
                        operation, "got two element types: first=" + type + ", " + role + "=" + other + "; use one");
            }
        }
    }

    static void sameNumber(Operation operation, List<Tensor> inputs, List<Tensor> outputs) {
        if (inputs.size() != outputs.size()) {
            throw invalid(
                    operation,
                    "got lists of two lengths: inputs=" + inputs.size() + ", outputs=" + outputs.size()
                            + "; pass an output for each input");
        }
    }

    /** Requires an output for each input, of its size. */
    static void pairwise(Operation operation, List<Tensor> inputs, List<Tensor> outputs) {
        sameNumber(operation, inputs, outputs);
        for (int i = 0; i < inputs.size(); i++) {
            count(operation, "output", outputs.get(i), inputs.get(i).count());
        }
    }

    static void count(Operation operation, String role, Tensor tensor, long expected) {
        if (tensor.count() != expected) {
            throw invalid(
                    operation,
                    "got an " + role + " of the wrong size: " + role + "=" + tensor.count() + " elements, expected="
                            + expected + "; allocate it to fit");
        }
    }

    static void divisible(Operation operation, String role, Tensor tensor, int size) {
        if (tensor.count() % size != 0) {
            throw invalid(
                    operation,
                    "cannot cut its " + role + " into equal parts: " + role + "=" + tensor.count() + " elements, size="
                            + size + "; pad it, or pass the splits");
        }
    }

    static void root(Operation operation, int root, int size) {
        if (root < 0 || root >= size) {
            throw invalid(
                    operation,
                    "got a root outside the group: root=" + root + ", size=" + size + "; name a rank from 0 to "
                            + (size - 1));
        }
    }

    static void peer(Operation operation, int peer, int rank, int size) {
        if (peer < 0 || peer >= size) {
            throw invalid(
                    operation,
                    "got a peer outside the group: peer=" + peer + ", size=" + size + "; name a rank from 0 to "
                            + (size - 1));
        }
        if (peer == rank) {
            throw invalid(operation, "got this rank itself: peer=" + peer + "; copy the tensor instead");
        }
    }

    /** {@return the partition of a row of tensors, a part for each} */
    static Partition partitionOf(List<Tensor> tensors) {
        return Partition.of(countsOf(tensors));
    }

    static long[] countsOf(List<Tensor> tensors) {
        long[] counts = new long[tensors.size()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = tensors.get(i).count();
        }
        return counts;
    }

    /** {@return the elements of all tensors as one part} */
    static Partition total(List<Tensor> tensors) {
        long total = 0;
        for (int i = 0; i < tensors.size(); i++) {
            total += tensors.get(i).count();
        }
        return Partition.whole(total);
    }

    /** {@return the ranks' shares of a row: equal parts of a single tensor, or a tensor each} */
    static Partition shares(List<Tensor> tensors, long each, int size) {
        return Partition.evenOr(tensors.size() == size ? countsOf(tensors) : Partition.NO_COUNTS, size, each);
    }

    /** Requires a tensor for each rank, or one for all ranks' equal shares, of which this rank's is {@code own} long. */
    static void shares(Operation operation, String role, List<Tensor> tensors, long own, int rank, int size) {
        if (tensors.size() == size) {
            count(operation, role, tensors.get(rank), own);
        } else if (tensors.size() == 1) {
            count(operation, role, tensors.getFirst(), own * size);
        } else {
            throw invalid(
                    operation,
                    "got too few or too many " + role + "s: " + role + "s=" + tensors.size() + ", size=" + size
                            + "; pass one for each rank, or one for all");
        }
    }

    static void atRootOnly(Operation operation, String role, List<Tensor> tensors, boolean isRoot, int size) {
        int expected = isRoot ? size : 0;
        if (tensors.size() != expected) {
            throw invalid(
                    operation,
                    "got too few or too many " + role + "s: " + role + "s=" + tensors.size() + ", expected=" + expected
                            + "; pass one for each rank on the root, and none elsewhere");
        }
    }

    /** {@return the partition that the splits make of a tensor} */
    static Partition splits(Operation operation, String role, @Nullable Tensor given, long @Nullable [] splits) {
        Tensor tensor = usable(operation, role, given);
        if (splits == null) {
            throw invalid(operation, "got no splits: " + role + "Splits=null; pass the elements for each rank");
        }
        for (long split : splits) {
            if (split < 0 || split > tensor.count()) {
                throw invalid(
                        operation,
                        "got a split out of range: " + role + "Splits=" + Arrays.toString(splits) + ", " + role + "="
                                + tensor.count() + " elements; pass the elements for each rank");
            }
        }
        Partition partition = Partition.of(splits);
        if (partition.total() != tensor.count()) {
            throw invalid(
                    operation,
                    "got splits that do not add up: " + role + "Splits=" + partition + ", sum=" + partition.total()
                            + ", " + role + "=" + tensor.count() + " elements; let them cover the tensor");
        }
        return partition;
    }

    static void parts(Operation operation, String role, Partition partition, int size) {
        if (partition.parts() != size) {
            throw invalid(
                    operation,
                    "got too few or too many parts: " + role + " parts=" + partition.parts() + ", size=" + size
                            + "; pass one for each rank");
        }
    }

    static void ownPart(Operation operation, long sent, long received) {
        if (sent != received) {
            throw invalid(
                    operation,
                    "got two lengths for this rank's own part: input=" + sent + ", output=" + received
                            + "; let a rank take from itself what it gives to itself");
        }
    }

    /** {@return whether a tensor is exactly the elements of another from {@code from} on} */
    static boolean isPart(Tensor part, Tensor whole, long from) {
        return part.address() == whole.address() + from * whole.type().byteSize()
                && part.device().equals(whole.device());
    }

    /** {@return those inputs whose output is other memory} */
    static List<Tensor> notInPlace(List<Tensor> inputs, List<Tensor> outputs) {
        List<Tensor> elsewhere = new ArrayList<>(0);
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i) != outputs.get(i) && !isPart(inputs.get(i), outputs.get(i), 0)) {
                elsewhere.add(inputs.get(i));
            }
        }
        return elsewhere;
    }

    /** Requires that no output shares memory with another output or with an input. */
    static void disjoint(Operation operation, List<Tensor> inputs, List<Tensor> outputs) {
        if (outputs.size() == 1 && inputs.isEmpty()) {
            return;
        }
        List<TensorUse> extents = new ArrayList<>(inputs.size() + outputs.size());
        inputs.forEach(input -> extents.add(new TensorUse(input, false, extents.size())));
        outputs.forEach(output -> extents.add(new TensorUse(output, true, extents.size())));
        TensorUse.requireApart(operation, extents);
    }

    /** Requires that no call of several writes where another reads or writes. */
    static void apart(List<Collective> calls) {
        List<TensorUse> extents = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            for (Tensor input : calls.get(i).inputs()) {
                extents.add(new TensorUse(input, false, i));
            }
            for (Tensor output : calls.get(i).outputs()) {
                extents.add(new TensorUse(output, true, i));
            }
        }
        TensorUse.requireApart(Operation.COALESCED, extents);
    }

    static InvalidCallException invalid(Operation operation, String what) {
        return new InvalidCallException(operation.label() + " " + what);
    }
}
