package io.reactivecomm.nccl;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The condition of tests over the double of NCCL, which is C: without a compiler they are skipped, and one line says so. */
final class NcclDoubleCompiler implements ExecutionCondition {

    private static final String MISSING = "tests over the double of NCCL are skipped: there is no gcc; install it"
            + " (on Debian: apt-get install gcc libc6-dev)";

    private static final boolean IS_THERE = isThere();

    private static final AtomicBoolean HAS_SAID_SO = new AtomicBoolean();

    private static boolean isThere() {
        try {
            return !NcclDoubleLibrary.run(List.of("gcc", "--version"), Path.of("").toAbsolutePath()).isEmpty();
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

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
