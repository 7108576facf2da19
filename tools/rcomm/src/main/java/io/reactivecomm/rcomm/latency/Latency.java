package io.reactivecomm.rcomm.latency;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** Latencies as users write them: {@code 2ms}, {@code 500us}, {@code 0}. */
public final class Latency {

    private static final Pattern FORM = Pattern.compile("(\\d{1,6})(us|ms)|0");

    private Latency() {}

    /** {@return the latency that is written so} */
    public static Duration parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException(
                    "cannot read the latency: latency=" + text + "; write it like 2ms, 500us or 0");
        }
        if (form.group(1) == null) {
            return Duration.ZERO;
        }
        long number = Long.parseLong(form.group(1));
        return form.group(2).equals("us") ? Duration.ofNanos(1000 * number) : Duration.ofMillis(number);
    }
}
