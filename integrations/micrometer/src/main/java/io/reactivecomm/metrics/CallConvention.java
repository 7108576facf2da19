package io.reactivecomm.metrics;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.reactivecomm.metrics.CallDocumentation.HighKeys;
import io.reactivecomm.metrics.CallDocumentation.LowKeys;
import io.reactivecomm.observe.ObservedCall;
import java.util.ArrayList;
import java.util.List;

/**
 * The name and the keys of a call's observation unless the program says otherwise: who wants others extends this, or gives a convention of its own to
 * {@link CommObservations#of}.
 *
 * <p>The observation's name is {@value #NAME}. It is not that of {@link CommMetrics}' timer: with Micrometer's meter handler in the registry, both would
 * write the same meter with other tags.
 */
public class CallConvention implements ObservationConvention<CallContext> {

    /** The name of observations: of a timer that a handler makes of them. */
    public static final String NAME = "rcomm.observed.call";

    /** {@return always true of a call's context} */
    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof CallContext;
    }

    @Override
    public String getName() {
        return NAME;
    }

    /** {@return the operation: a span's name has few values} */
    @Override
    public String getContextualName(CallContext context) {
        return CallTag.text(context.call().operation());
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(CallContext context) {
        ObservedCall call = context.call();
        return KeyValues.of(
                LowKeys.OPERATION.withValue(CallTag.text(call.operation())),
                LowKeys.GROUP.withValue(Long.toString(call.group())),
                LowKeys.BACKEND.withValue(CallTag.text(call.backend())));
    }

    /** {@return what is known of them: keys without a value are left out} They are asked for at the end, too, when a message knows its peer. */
    @Override
    public KeyValues getHighCardinalityKeyValues(CallContext context) {
        ObservedCall call = context.call();
        List<KeyValue> all = new ArrayList<>();
        all.add(HighKeys.CALL.withValue(call.label()));
        all.add(HighKeys.RANK.withValue(Integer.toString(call.rank())));
        all.add(HighKeys.GROUP_SIZE.withValue(Integer.toString(call.groupSize())));
        all.add(HighKeys.BYTES.withValue(Long.toString(call.byteSize())));
        add(all, HighKeys.COMPOSITE, call.composite());
        add(all, HighKeys.TYPE, call.type());
        add(all, HighKeys.REDUCTION, call.reduction());
        add(all, HighKeys.ALGORITHM, call.algorithm());
        add(all, HighKeys.PEER, call.peer() == ObservedCall.NO_PEER ? "" : Integer.toString(call.peer()));
        return KeyValues.of(all);
    }

    private static void add(List<KeyValue> all, HighKeys key, String value) {
        if (!value.isEmpty()) {
            all.add(key.withValue(value));
        }
    }
}
