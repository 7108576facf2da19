package io.reactivecomm.timing;

import io.reactivecomm.Operation;
import io.reactivecomm.internal.base.PrintableText;
import io.reactivecomm.observe.ObservedCall;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The line that a verbose logger writes of one call: one line, whatever the call's name. */
final class CallLine {

    private CallLine() {}

    static String of(ObservedCall call, @Nullable Throwable error, long nanos, boolean isDebug) {
        double algbw = nanos == 0 ? 0 : (double) call.byteSize() / nanos;
        double busbw = algbw * Operation.busFactor(call.operation(), call.groupSize());
        String line = call.operation() + ": rank=" + call.rank() + ", call=" + call.label() + ", bytes="
                + call.byteSize() + ", ranks=" + call.groupSize() + ", took="
                + String.format(Locale.ROOT, "%.3f ms", nanos / SummaryTable.NANOS_PER_MILLI);
        String outcome = error == null
                ? String.format(Locale.ROOT, ", algbw=%.3f GB/s, busbw=%.3f GB/s", algbw, busbw)
                : ", error=" + error.getClass().getSimpleName();
        return PrintableText.of(line + outcome + (isDebug ? debug(call) : ""));
    }

    private static String debug(ObservedCall call) {
        return ", number=" + call.number() + ", group=" + call.group() + ", composite=" + call.composite()
                + ", algorithm=" + call.algorithm() + ", backend=" + call.backend() + ", type=" + call.type()
                + ", reduction=" + call.reduction() + ", at=" + call.callSite();
    }
}
