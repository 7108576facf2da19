package io.reactivecomm.spark;

import io.reactivecomm.CommException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.SerializerInstance;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;

/**
 * The result of one rank, or its failure. A failure is a result of its task too, so that the stage ends and the driver sees the failures of all ranks.
 *
 * @param attempt the number of earlier attempts at this world
 * @param value the program's result, if it succeeded
 * @param failure the exception that the program threw, or null if it succeeded
 * @param isConsequence whether the failure may be the consequence of another rank's
 */
record Outcome(
        int rank,
        int attempt,
        @Nullable Object value,
        @Nullable Throwable failure,
        boolean isConsequence) implements Serializable {

    private static final long serialVersionUID = 1;

    private static final int MOST_CAUSES = 100;

    static Outcome success(int rank, int attempt, @Nullable Object value) {
        return new Outcome(rank, attempt, value, null, false);
    }

    static Outcome failure(int rank, int attempt, Throwable failure) {
        return new Outcome(rank, attempt, null, failure, isCausedBy(CommException.class, failure));
    }

    /** {@return whether the failure or one of its causes is of this type} */
    static boolean isCausedBy(Class<? extends Throwable> type, Throwable failure) {
        Throwable each = failure;
        for (int i = 0; i < MOST_CAUSES && each != null; i++) {
            if (type.isInstance(each)) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    /**
     * {@return the bytes for the driver} A result that cannot be serialized becomes a failure. So does one that exhausts the heap: if the task failed instead, all ranks would
     * run again. A failure that cannot be serialized, or cannot be read again, becomes its text.
     */
    byte[] serialized() {
        try {
            byte[] bytes = bytes(this);
            if (failure != null) {
                of(bytes);
            }
            return bytes;
        } catch (Exception | Error e) {
            return failure == null ? failure(rank, attempt, notSerializable(e)).serialized() : bytes(withText(failure));
        }
    }

    private IllegalArgumentException notSerializable(Throwable problem) {
        String type = value == null ? "null" : value.getClass().getName();
        return new IllegalArgumentException(
                "the result of a rank cannot be serialized: rank=" + rank + ", type=" + type + ", cause="
                        + text(problem) + "; return a type that implements Serializable",
                problem);
    }

    private Outcome withText(Throwable problem) {
        RuntimeException text = new RuntimeException(text(problem));
        text.setStackTrace(problem.getStackTrace());
        return new Outcome(rank, attempt, null, text, isConsequence);
    }

    /** {@return the text of a program's exception, whose methods may throw in turn} */
    static String text(Throwable problem) {
        try {
            return Objects.requireNonNullElse(
                    problem.toString(), problem.getClass().getName());
        } catch (RuntimeException | Error e) {
            return problem.getClass().getName();
        }
    }

    private static byte[] bytes(Outcome outcome) {
        ByteBuffer buffer = serializer().serialize(outcome, ClassTag.apply(Outcome.class));
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    static Outcome of(byte[] bytes) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            return serializer()
                    .deserialize(
                            ByteBuffer.wrap(bytes),
                            context == null ? Outcome.class.getClassLoader() : context,
                            ClassTag.apply(Outcome.class));
        } catch (Exception | LinkageError e) {
            throw new IllegalStateException(
                    "the result of a rank cannot be deserialized: cause=" + text(e)
                            + "; check the readObject methods of its types, and that the driver has their classes",
                    e);
        }
    }

    private static SerializerInstance serializer() {
        return SparkEnv.get().closureSerializer().newInstance();
    }

    /** {@return the failure to report, if any rank failed} */
    static Optional<SparkRankException> failure(List<Outcome> outcomes) {
        List<Outcome> failed =
                outcomes.stream().filter(each -> each.failure != null).toList();
        return failed.stream()
                .min(Comparator.comparing(Outcome::isConsequence).thenComparing(Outcome::rank))
                .map(first -> first.exception(failed.stream().map(Outcome::rank).toList()));
    }

    private SparkRankException exception(List<Integer> failedRanks) {
        Throwable cause = failure == null ? new IllegalStateException("no failure") : failure;
        return new SparkRankException(
                "the program of a rank failed: rank=" + rank + ", attempt=" + attempt + ", failed=" + failedRanks
                        + ", cause=" + text(cause) + "; see the log of its executor",
                rank,
                cause);
    }
}
