package io.reactivecomm.rcomm.latency;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * The rate of a link in one direction, or none.
 *
 * @param bitsPerSecond 0 for a link that is as fast as it is
 */
public record Rate(long bitsPerSecond) {

    /** That of a link which nothing slows down. */
    public static final Rate UNLIMITED = new Rate(0);

    /** That of the usual network card. */
    public static final Rate GIGABIT = new Rate(1_000_000_000);

    /** Each number in it is at most so long that the rate is a {@code long}. */
    private static final Pattern FORM = Pattern.compile("(\\d{1,6}(?:\\.\\d{1,3})?)(kbit|mbit|gbit)|0");

    private static final Map<String, Long> UNITS = Map.of("kbit", 1_000L, "mbit", 1_000_000L, "gbit", 1_000_000_000L);

    private static final double NANOS_OF_A_BIT_A_SECOND = 8e9;

    public Rate {
        if (bitsPerSecond < 0) {
            throw new IllegalArgumentException(
                    "rate is negative: rate=" + bitsPerSecond + "; give bits a second, or 0 for no limit");
        }
    }

    /**
     * {@return the rate that is written so, as tc does: {@code 1gbit}, {@code 100mbit}, {@code 2.5gbit}; {@code 0} for no limit}
     *
     * @throws TypeConversionException if it is not
     */
    public static Rate parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException(
                    "cannot read the rate: rate=" + text + "; write it like 1gbit, 100mbit or 0");
        }
        String unit = form.group(2);
        return unit == null
                ? UNLIMITED
                : new Rate(new BigDecimal(form.group(1))
                        .multiply(BigDecimal.valueOf(UNITS.getOrDefault(unit, 1L)))
                        .longValue());
    }

    /** {@return whether there is a limit} */
    public boolean isLimited() {
        return bitsPerSecond > 0;
    }

    /** {@return how long so many bytes take, to the nearest nanosecond; nothing without a limit} */
    long nanosOf(long bytes) {
        return isLimited() ? Math.round(bytes * (NANOS_OF_A_BIT_A_SECOND / bitsPerSecond)) : 0;
    }

    /** {@return the rate in words, such as {@code 1 Gbit/s}} */
    @Override
    public String toString() {
        if (!isLimited()) {
            return "no limit";
        }
        String unit = bitsPerSecond >= 1_000_000_000 ? "gbit" : bitsPerSecond >= 1_000_000 ? "mbit" : "kbit";
        BigDecimal number = BigDecimal.valueOf(bitsPerSecond)
                .divide(BigDecimal.valueOf(UNITS.getOrDefault(unit, 1L)))
                .stripTrailingZeros();
        return number.toPlainString() + " "
                + (unit.equals("kbit") ? unit : Character.toUpperCase(unit.charAt(0)) + "bit") + "/s";
    }
}
