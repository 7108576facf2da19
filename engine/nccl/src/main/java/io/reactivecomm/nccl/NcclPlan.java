package io.reactivecomm.nccl;

import io.reactivecomm.PreMulSum;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part that NCCL has in a call on this rank: what it is told between the start and the end of a group, and the copies before and after.
 *
 * <p><b>Threads.</b> The launch stream's.
 */
final class NcclPlan {

    private final LaunchStream stream;
    private final List<Copy> before = new ArrayList<>();
    private final List<Issue> issues = new ArrayList<>();
    private final List<Copy> after = new ArrayList<>();
    private final List<Tensor> scratch = new ArrayList<>();
    private final Map<Factor, Integer> operations = new HashMap<>();

    /** A copy of bytes on the stream. */
    record Copy(long from, long to, long bytes) {}

    /** The factor of a sum that multiplies first: NCCL has a number for each with a type. */
    private record Factor(double value, NcclType type) {}

    /** One call of NCCL. */
    interface Call {

        /** @param operation NCCL's number; 0 where nothing is reduced */
        void make(long comm, long stream, int operation);
    }

    private record Issue(int operation, @Nullable Factor factor, Call call) {}

    NcclPlan(LaunchStream stream) {
        this.stream = stream;
    }

    void before(Copy copy) {
        before.add(copy);
    }

    void after(Copy copy) {
        after.add(copy);
    }

    /** {@return the address of memory that it has until the device is done} */
    long scratch(long bytes) {
        Tensor memory = stream.scratch(bytes);
        scratch.add(memory);
        return memory.address();
    }

    void move(Call call) {
        issues.add(new Issue(0, null, call));
    }

    void reduce(NcclOperation operation, Call call) {
        issues.add(new Issue(operation.code(), null, call));
    }

    void reduce(PreMulSum sum, NcclType type, Call call) {
        issues.add(new Issue(0, new Factor(sum.factor(), type), call));
    }

    List<Tensor> scratch() {
        return scratch;
    }

    /** Makes what its calls need of a communicator, and the copies before them. Before the group is started. */
    void begin(NcclCalls calls, long comm) {
        for (Issue issue : issues) {
            if (issue.factor != null) {
                operations.computeIfAbsent(
                        issue.factor, factor -> calls.createPreMulSum(factor.value, factor.type, comm));
            }
        }
        before.forEach(copy -> stream.copy(copy.from, copy.to, copy.bytes));
    }

    /** Tells NCCL of all calls, in the same order on all ranks. */
    void issue(long comm) {
        for (Issue issue : issues) {
            issue.call.make(
                    comm,
                    stream.address(),
                    issue.factor == null ? issue.operation : operations.getOrDefault(issue.factor, issue.operation));
        }
    }

    /** Makes the copies behind its calls. Once the group is on the stream. */
    void end(NcclCalls calls, long comm) {
        after.forEach(copy -> stream.copy(copy.from, copy.to, copy.bytes));
        operations.values().forEach(operation -> calls.destroyPreMulSum(operation, comm));
        operations.clear();
    }

    /** Frees what it took. The device is done. */
    void free() {
        scratch.forEach(Tensor::close);
        scratch.clear();
    }
}
