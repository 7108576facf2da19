package io.reactivecomm.testkit;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The condition of tests over doubles of native libraries, which are C: without a compiler they are skipped, and one line says so. */
public final class NeedsGcc implements ExecutionCondition {

    private static final String MISSING =
            "tests over doubles of native libraries are skipped: there is no gcc; install it"
                    + " (on Debian: apt-get install gcc libc6-dev)";

    private static final boolean IS_THERE = Gcc.isThere();

    private static final AtomicBoolean HAS_SAID_SO = new AtomicBoolean();

    /** For JUnit. */
    public NeedsGcc() {}

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
