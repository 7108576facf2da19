package io.reactivecomm.train;

import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.stream.ResultMono;
import io.reactivecomm.internal.stream.ResultSubscription;
import java.util.Comparator;
import java.util.List;

/** Types that break a rule of the house: a type that programs name may be no subtype of an internal one. */
public final class ExtendingOffender {

    private ExtendingOffender() {}

    /** A subclass of a type with an internal argument. */
    public abstract static class Heir extends ThreadLocal<ResultMono<String>> {}

    /** An implementor of an interface with an internal argument. */
    public interface Implementor extends Comparator<List<ResultSubscription<String>>> {}

    /** A type with an internal bound. */
    public interface Bound<T extends CallSink> {

        /** {@return nothing of any use} */
        List<String> calls(List<T> sinks);
    }
}
