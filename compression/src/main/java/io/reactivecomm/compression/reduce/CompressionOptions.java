package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.compression.Codec;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The choices of a compressed all-reduce; the same on all ranks, which compare them.
 *
 * @param codec writes elements and reads them
 * @param route the way of the encoded elements
 * @param exchange the calls of the first of {@link Route#TWO_STEPS}
 * @param feedsBack whether what encoding has lost is added to the next step's elements. Without that, codecs that lose much do not converge
 * @param warmUpSteps how many steps of each name go uncompressed first. Then the errors are zeros
 * @param masks of results: by the name of a call, or of a parameter in a bucket
 */
public record CompressionOptions(
        Codec codec, Route route, Exchange exchange, boolean feedsBack, long warmUpSteps, Map<String, Mask> masks) {

    public CompressionOptions {
        Objects.requireNonNull(masks, "masks");
        Objects.requireNonNull(codec, "a compressed all-reduce has no codec; give one, such as new OneBit()");
        Objects.requireNonNull(route, "a compressed all-reduce has no route; give one, such as Route.TWO_STEPS");
        Objects.requireNonNull(
                exchange, "a compressed all-reduce has no exchange; give one, such as Exchange.ALL_TO_ALL");
        if (warmUpSteps < 0) {
            throw new InvalidCallException("no such warm-up: warmUpSteps=" + warmUpSteps + "; give 0 for none");
        }
        masks = Map.copyOf(masks);
    }

    /** {@return a compression in two steps, with error feedback and without a warm-up} */
    public static CompressionOptions inTwoSteps(Codec codec) {
        return new CompressionOptions(codec, Route.TWO_STEPS, Exchange.ALL_TO_ALL, true, 0, Map.of());
    }

    /** {@return a compression in which every rank gets all encodings, with error feedback and without a warm-up} */
    public static CompressionOptions byGather(Codec codec) {
        return new CompressionOptions(codec, Route.GATHER, Exchange.ALL_TO_ALL, true, 0, Map.of());
    }

    public CompressionOptions withExchange(Exchange value) {
        return new CompressionOptions(codec, route, value, feedsBack, warmUpSteps, masks);
    }

    public CompressionOptions withFeedback(boolean value) {
        return new CompressionOptions(codec, route, exchange, value, warmUpSteps, masks);
    }

    public CompressionOptions withWarmUp(long steps) {
        return new CompressionOptions(codec, route, exchange, feedsBack, steps, masks);
    }

    /**
     * {@return the same with a mask on the results of a name}
     *
     * @param name of a call, or of a parameter in a bucket
     */
    public CompressionOptions withMask(String name, Mask mask) {
        Objects.requireNonNull(name, "a mask has no name; give that of the call, or of a parameter in a bucket");
        Objects.requireNonNull(
                mask, () -> "a name has no mask: name=" + name + "; give one, such as Mask.ofZeros(tensor)");
        Map<String, Mask> all = new HashMap<>(masks);
        all.put(name, mask);
        return new CompressionOptions(codec, route, exchange, feedsBack, warmUpSteps, all);
    }

    /** {@return what ranks must have in common} */
    String label() {
        return codec.label()
                + (route == Route.GATHER ? " gathered" : exchange == Exchange.ALL_TO_ALL ? "" : " by " + exchange)
                + (feedsBack ? "" : " without feedback")
                + (warmUpSteps == 0 ? "" : " after " + warmUpSteps)
                + (masks.isEmpty() ? "" : " " + new Masks(masks).label());
    }
}
