package io.reactivecomm.nccl.cuda;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The condition of tests over the double of the CUDA driver, which is C: without a compiler they are skipped, and one line says so. */
public final class NeedsCudaDouble implements ExecutionCondition {

    private static final String MISSING = "tests over the double of the CUDA driver are skipped: there is no gcc;"
            + " install it (on Debian: apt-get install gcc libc6-dev)";

    private static final boolean IS_THERE = CudaDoubleLibrary.canBuild();

    private static final AtomicBoolean HAS_SAID_SO = new AtomicBoolean();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (IS_THERE) {
            return ConditionEvaluationResult.enabled("gcc is there");
        }
        if (!HAS_SAID_SO.getAndSet(true)) {
            System.err.println(MISSING);
        }
        return ConditionEvaluationResult.disabled(MISSING);
    }
}
