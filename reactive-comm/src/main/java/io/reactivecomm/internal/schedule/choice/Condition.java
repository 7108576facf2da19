package io.reactivecomm.internal.schedule.choice;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * A bound on one quantity of a call.
 *
 * @param atLeast whether the quantity must be no less than the bound; otherwise no more
 */
record Condition(Quantity quantity, boolean atLeast, long bound) {

    private static final String UNITS = "KMG";
    private static final int UNIT_BITS = 10;

    /** Up to ten: with any unit they stay within a long, and without one they name any size that a tensor has. */
    private static final String DIGITS = "[0-9]{1,10}";

    /** The quantity that a condition looks at; {@code bytes} counts as {@code rcomm perf} and nccl-tests count. */
    enum Quantity {
        RANKS {
            @Override
            long of(CallSize call) {
                return call.ranks();
            }
        },
        HOSTS {
            @Override
            long of(CallSize call) {
                return call.layout().hosts();
            }
        },
        /** The ranks of the host with most. */
        PER_HOST {
            @Override
            long of(CallSize call) {
                return call.layout().mostPerHost();
            }
        },
        BYTES {
            @Override
            long of(CallSize call) {
                return call.bytes();
            }
        },
        /** Bytes times ranks: what a step costs in which every rank sends all. */
        TOTAL {
            @Override
            long of(CallSize call) {
                return call.bytes() > Long.MAX_VALUE / call.ranks() ? Long.MAX_VALUE : call.bytes() * call.ranks();
            }
        },
        /** Bytes divided by ranks: a chunk, or a part. */
        SHARE {
            @Override
            long of(CallSize call) {
                return call.bytes() / call.ranks();
            }
        },
        /** How many times as long as an element a partial result is. */
        WIDENING {
            @Override
            long of(CallSize call) {
                return call.widening();
            }
        };

        abstract long of(CallSize call);

        /** {@return whether all ranks know it of a call; the bytes are −1 where they do not} */
        boolean isKnown(CallSize call) {
            return switch (this) {
                case RANKS, HOSTS, PER_HOST, WIDENING -> true;
                case BYTES, TOTAL, SHARE -> call.bytes() >= 0;
            };
        }

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** {@return whether a call meets it; one whose bytes are not known meets no bound on them} */
    boolean holds(CallSize call) {
        if (!quantity.isKnown(call)) {
            return false;
        }
        long value = quantity.of(call);
        return atLeast ? value >= bound : value <= bound;
    }

    /** {@return the condition that a text such as {@code bytes>=1M} names, or nothing if it is none} */
    static Optional<Condition> parse(String text) {
        boolean atLeast = text.contains(">=");
        String[] sides = text.split(atLeast ? ">=" : "<=", 2);
        if (sides.length != 2) {
            return Optional.empty();
        }
        String bound = sides[1].strip();
        return Arrays.stream(Quantity.values())
                .filter(each -> each.label().equals(sides[0].strip()))
                .findFirst()
                .flatMap(quantity -> number(bound).map(number -> new Condition(quantity, atLeast, number)));
    }

    /** {@return a whole number, perhaps with a unit K, M or G of 1024} */
    private static Optional<Long> number(String text) {
        int unit = text.isEmpty() ? -1 : UNITS.indexOf(text.charAt(text.length() - 1));
        String digits = unit < 0 ? text : text.substring(0, text.length() - 1);
        if (!digits.matches(DIGITS)) {
            return Optional.empty();
        }
        return Optional.of(Long.parseLong(digits) << UNIT_BITS * (unit + 1));
    }

    @Override
    public String toString() {
        long number = bound;
        int unit = 0;
        while (unit < UNITS.length() && number > 0 && number % (1 << UNIT_BITS) == 0) {
            number >>= UNIT_BITS;
            unit++;
        }
        return quantity.label() + (atLeast ? ">=" : "<=") + number + (unit == 0 ? "" : UNITS.substring(unit - 1, unit));
    }
}
