package io.reactivecomm.internal.train;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of a model, with the place of each gradient. It follows from parameters and options alone, so it is the same on all ranks.
 *
 * <p>Each type of communication on each device fills a bucket of its own, in the order of the parameters. A gradient that would overflow the bucket closes
 * it first and begins the next, so one that is larger than a bucket is alone in its own, and so is a sparse one. Buckets are numbered by their last parameters:
 * where gradients come in the order of registration, buckets become whole in the order of their numbers.
 *
 * <pre>
 *   bucketBytes 8, firstBucketBytes 4; parameters (bytes):   a f32 (4)  b f16 (2)  c f32 (4)  d f32 (12)  e f16 (4)  g f32 (4)
 *
 *   f32   [a] closed by c      [c] closed by d      [d] closed by g      [g]
 *   f16   [b] closed by e                           [e]
 *   numbers   0 = a    1 = b    2 = c    3 = d    4 = e    5 = g
 * </pre>
 */
final class BucketPlan {

    /**
     * The place of a gradient.
     *
     * @param index which parameter it is
     * @param bucket which bucket it is in
     * @param from the element of the bucket that it begins with
     */
    record Place(Parameter parameter, int index, int bucket, long from) {

        /** {@return whether a gradient is the one that was registered} A dense one may have another shape. */
        boolean fits(Gradient gradient) {
            Tensor tensor = gradient.tensor();
            return parameter.isSparse() || gradient.rows() != null
                    ? parameter.equals(Parameter.of(gradient))
                    : tensor.type() == parameter.type()
                            && tensor.count() == parameter.count()
                            && tensor.device().equals(parameter.device());
        }
    }

    /**
     * The gradients that one call reduces.
     *
     * @param index its number, in whose order buckets begin
     * @param kind of its elements
     * @param count its elements
     */
    record Bucket(int index, Kind kind, List<Place> places, long count) {

        DType type() {
            return kind.type;
        }

        Device device() {
            return kind.device;
        }

        long byteSize() {
            return Math.multiplyExact(count, (long) type().byteSize());
        }

        /** {@return whether gradients have another type, so that packing converts them} */
        boolean isConverted() {
            return places.stream().anyMatch(place -> place.parameter().type() != type());
        }

        /** {@return whether it can be the gradient's own memory} */
        boolean isOneUnconverted() {
            return places.size() == 1 && !isSparse() && !isConverted();
        }

        /** {@return whether it is a sparse gradient, which is alone in its bucket and reduced by rows} */
        boolean isSparse() {
            return places.getFirst().parameter().isSparse();
        }
    }

    /**
     * The elements that fit into one bucket.
     *
     * @param type the type of communication
     */
    record Kind(DType type, Device device) {}

    /** The bucket of a kind that is being filled. */
    private static final class OpenBucket {

        private final Kind kind;
        private final long limitBytes;
        private long count;
        private final List<Integer> parameters = new ArrayList<>();

        private OpenBucket(Kind kind, long limitBytes) {
            this.kind = kind;
            this.limitBytes = limitBytes;
        }

        private boolean wouldOverflow(long more) {
            // Not (count + more) * byteSize, which may pass 2^63 where the limit is near it. So a bucket stays below,
            // for a parameter does.
            return more > limitBytes / kind.type.byteSize() - count;
        }

        private void add(int parameter, long more) {
            parameters.add(parameter);
            count += more;
        }
    }

    private final List<Parameter> parameters;
    private final List<Bucket> buckets = new ArrayList<>();
    private final List<Place> places;
    /** For each bucket its parameters. */
    final List<List<Integer>> indices;

    private final Map<String, Place> byName = new HashMap<>();
    private final Map<Device, Long> flatBytes = new HashMap<>();

    /**
     * Makes the plan for a group of that size.
     *
     * @throws InvalidCallException if a name comes twice, or gradients of a type cannot be reduced so
     */
    BucketPlan(List<Parameter> parameters, BucketOptions options, int size) {
        this.parameters = List.copyOf(parameters);
        Reduction reduction = options.scaling().reduction(size);
        parameters.forEach(parameter -> requireReducible(parameter, options, reduction));
        filled(options).stream()
                .sorted(Comparator.comparing(each -> each.parameters.getLast()))
                .forEach(each -> buckets.add(bucket(each)));
        buckets.stream()
                .filter(bucket -> !bucket.isOneUnconverted() && !bucket.isSparse())
                .forEach(bucket -> flatBytes.merge(bucket.device(), bucket.byteSize(), Math::max));
        this.places = buckets.stream()
                .flatMap(bucket -> bucket.places().stream())
                .sorted(Comparator.comparingInt(Place::index))
                .toList();
        this.indices = buckets.stream()
                .map(bucket -> bucket.places().stream().map(Place::index).toList())
                .toList();
        places.forEach(this::requireNew);
    }

    private List<OpenBucket> filled(BucketOptions options) {
        List<OpenBucket> all = new ArrayList<>();
        Map<Kind, OpenBucket> open = new HashMap<>();
        for (int i = 0; i < parameters.size(); i++) {
            Parameter parameter = parameters.get(i);
            Kind kind = new Kind(communicationOf(parameter, options), parameter.device());
            OpenBucket current = parameter.isSparse() ? null : open.get(kind);
            if (current != null && !current.wouldOverflow(parameter.count())) {
                current.add(i, parameter.count());
                continue;
            }
            OpenBucket next =
                    new OpenBucket(kind, current == null ? options.firstBucketBytes() : options.bucketBytes());
            next.add(i, parameter.count());
            all.add(next);
            if (!parameter.isSparse()) {
                open.put(kind, next);
            }
        }
        return all;
    }

    private Bucket bucket(OpenBucket filled) {
        List<Place> inside = new ArrayList<>();
        long from = 0;
        for (int parameter : filled.parameters) {
            inside.add(new Place(parameters.get(parameter), parameter, buckets.size(), from));
            from += parameters.get(parameter).count();
        }
        return new Bucket(buckets.size(), filled.kind, List.copyOf(inside), from);
    }

    private void requireNew(Place place) {
        if (byName.putIfAbsent(place.parameter().name(), place) != null) {
            throw new InvalidCallException("a gradient was registered twice: name="
                    + place.parameter().name() + "; give each a name of its own");
        }
    }

    private static void requireReducible(Parameter parameter, BucketOptions options, Reduction reduction) {
        DType type = communicationOf(parameter, options);
        BucketReducer reducer = parameter.isSparse() ? null : options.reducer();
        String why = reducer == null ? null : reducer.refusal(type);
        if (reducer != null && why != null) {
            throw new InvalidCallException("a gradient cannot be reduced so: " + parameter + ", reducer="
                    + reducer.label() + ", why=" + why
                    + "; take buckets without this reducer for it");
        }
        if (!reduction.supports(type)) {
            throw new InvalidCallException("a gradient of this type cannot be scaled so: " + parameter + ", scaling="
                    + options.scaling() + "; use Scaling.SUM, or leave it out");
        }
    }

    /** {@return the type in which a gradient's elements are reduced} A sparse one is alone in its bucket, in its own type. */
    private static DType communicationOf(Parameter parameter, BucketOptions options) {
        DType type = parameter.type();
        DType communication = parameter.isSparse() ? null : options.communicationType();
        return communication != null && type.family() == DType.Family.FLOAT ? communication : type;
    }

    List<Parameter> parameters() {
        return parameters;
    }

    List<Bucket> buckets() {
        return buckets;
    }

    /** {@return the places in the order of the parameters} */
    List<Place> places() {
        return places;
    }

    @Nullable Place place(String name) {
        return byName.get(name);
    }

    /** {@return the size of a flat buffer that all buckets of a device fit into, but for those that can do without} */
    long flatBytes(Device device) {
        return flatBytes.getOrDefault(device, 0L);
    }
}
