package io.reactivecomm.kernel;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.NativeOption;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The source of fold kernels.
 *
 * <p>A kernel is {@link StripLanes how elements become numbers}, {@link Arithmetic what is done with numbers}, and the
 * {@link StripFold strips} in between. The standard reductions of all types but BOOL have a second form, {@link VectorFold on
 * vectors}, and BFLOAT16 has second lanes. They are taken if the JVM was started with the module {@code jdk.incubator.vector}, and access
 * to native memory is not denied. Both forms give the same bits.
 */
public final class Kernels {

    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    private static final boolean HAS_VECTORS =
            ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent() && reachesMemory();

    /** Leaves a number as it is. */
    private static final long ALL_BITS = -1;

    private Kernels() {}

    /**
     * {@return a new kernel, which serves one thread at a time}
     *
     * @throws IllegalArgumentException if the reduction does not support the type
     */
    public static FoldKernel of(DType type, Reduction reduction) {
        return of(type, reduction, Vectors.of(HAS_VECTORS));
    }

    /**
     * {@return as {@link #of(DType, Reduction)}, for a thread that nothing may hold up: the form on vectors is taken once it has been
     * compiled, elsewhere, and the other until then}
     */
    public static FoldKernel forLoop(DType type, Reduction reduction) {
        return of(type, reduction, HAS_VECTORS ? Vectors.ONCE_COMPILED : Vectors.NEVER);
    }

    /** Adds two tensors of one type and length in the host's memory, with one rounding. @param sum may be one of them */
    public static void add(Tensor first, Tensor second, Tensor sum) {
        MemorySegment[] terms = {first.segment(), second.segment()};
        of(sum.type(), ReduceOp.SUM)
                .fold(sum.segment(), terms, new boolean[terms.length], terms.length, sum.count(), 1);
    }

    /** {@return whether there are vectors in this JVM, and loops over them reach memory} */
    public static boolean hasVectors() {
        return HAS_VECTORS;
    }

    /** The rule by which kernels are on vectors. */
    private enum Vectors {
        NEVER,
        ONCE_COMPILED,
        ALWAYS;

        static Vectors of(boolean wanted) {
            return wanted ? ALWAYS : NEVER;
        }
    }

    /** {@return which form of the kernels is in use, for a log line at start} */
    public static String describe() {
        return HAS_VECTORS
                ? "kernels: Vector API, " + VectorFold.describe()
                : "kernels: plain loops; start the JVM with --add-modules " + VECTOR_MODULE + " "
                        + NativeOption.ofLibrary() + " for vectors";
    }

    /** {@return whether this JVM lets the library name memory by its address, as {@link FoldLoops} do} */
    private static boolean reachesMemory() {
        try {
            return MemorySegment.NULL.reinterpret(1).byteSize() == 1;
        } catch (IllegalCallerException e) {
            return false;
        }
    }

    /** {@return with {@code vectors} the form that wants the module, where there is one; else the one that every JVM runs} */
    static FoldKernel of(DType type, Reduction reduction, boolean vectors) {
        return of(type, reduction, Vectors.of(vectors));
    }

    private static FoldKernel of(DType type, Reduction reduction, Vectors vectors) {
        if (!reduction.supports(type)) {
            throw unsupported(type, reduction);
        }
        return switch (reduction) {
            case ReduceOp op -> standard(type, op, vectors);
            case PreMulSum op ->
                onFloats(
                        type,
                        new PreMulArithmetic.OfFloats(op.factor()),
                        new PreMulArithmetic.OfDoubles(op.factor()),
                        vectors);
            case CustomReduction op -> custom(type, op, vectors);
        };
    }

    private static FoldKernel standard(DType type, ReduceOp op, Vectors vectors) {
        StripFold<?> strips = strips(type, op, vectors);
        return vectors != Vectors.NEVER && type.family() != DType.Family.BOOLEAN
                ? new VectorFold(type, op, strips, vectors == Vectors.ONCE_COMPILED)
                : strips;
    }

    /** {@return the fold in strips; with {@code vectors} its lanes may be on vectors all the same} */
    static StripFold<?> strips(DType type, ReduceOp op, boolean vectors) {
        return strips(type, op, Vectors.of(vectors));
    }

    private static StripFold<?> strips(DType type, ReduceOp op, Vectors vectors) {
        boolean isUnsigned = type.family() == DType.Family.UNSIGNED;
        return switch (type.family()) {
            case FLOAT -> onFloats(type, new FloatArithmetic(op), new DoubleArithmetic(op), vectors);
            case BOOLEAN -> bytes(new BooleanLanes(), new ByteArithmetic(op, false));
            case SIGNED, UNSIGNED ->
                onIntegers(
                        type,
                        new ByteArithmetic(op, isUnsigned),
                        new IntArithmetic(op, isUnsigned),
                        new LongArithmetic(op, isUnsigned));
            case OPAQUE -> throw unsupported(type, op);
        };
    }

    private static FoldKernel custom(DType type, CustomReduction op, Vectors vectors) {
        if (type.family() == DType.Family.FLOAT) {
            var operator = Objects.requireNonNull(op.onFloats());
            return onFloats(
                    type,
                    guarded(op, new CustomArithmetic.OfFloats(operator)),
                    guarded(op, new CustomArithmetic.OfDoubles(operator)),
                    vectors);
        }
        var operator = Objects.requireNonNull(op.onIntegers());
        boolean isUnsigned = type.family() == DType.Family.UNSIGNED;
        return onIntegers(
                type,
                guarded(op, new CustomArithmetic.OfBytes(operator, isUnsigned ? 0xFFL : ALL_BITS)),
                guarded(op, new CustomArithmetic.OfInts(operator, isUnsigned ? 0xFFFF_FFFFL : ALL_BITS)),
                guarded(op, new CustomArithmetic.OfLongs(operator)));
    }

    private static <A> Arithmetic<A> guarded(CustomReduction op, Arithmetic<A> arithmetic) {
        return new CustomArithmetic.Guarded<>(op.label(), arithmetic);
    }

    private static StripFold<?> onFloats(
            DType type, Arithmetic<float[]> floats, Arithmetic<double[]> doubles, Vectors vectors) {
        if (type != DType.FLOAT64) {
            return floats(floatLanes(type, vectors), floats);
        }
        int n = StripFold.STRIP;
        StripLanes<double[]> lanes = new CopyLanes.OfDoubles();
        return new StripFold<>(lanes, lanes, doubles, new double[n], new double[n]);
    }

    /**
     * {@return new lanes of a floating-point type of at most 32 bits, for a thread that nothing may hold up, as {@link #forLoop}}
     *
     * @throws IllegalArgumentException if it is another type
     */
    public static StripLanes<float[]> floatLanesForLoop(DType type) {
        if (type.family() != DType.Family.FLOAT || type == DType.FLOAT64) {
            throw new IllegalArgumentException(
                    "no lanes of floats: type=" + type + "; take FLOAT16, BFLOAT16 or FLOAT32");
        }
        return floatLanes(type, HAS_VECTORS ? Vectors.ONCE_COMPILED : Vectors.NEVER);
    }

    /** {@return the lanes of a floating-point type of at most 32 bits} */
    static StripLanes<float[]> floatLanes(DType type) {
        return floatLanes(type, Vectors.of(HAS_VECTORS));
    }

    private static StripLanes<float[]> floatLanes(DType type, Vectors vectors) {
        return switch (type) {
            case FLOAT32 -> new CopyLanes.OfFloats();
            case FLOAT16 -> new Float16Lanes();
            case BFLOAT16 ->
                switch (vectors) {
                    case NEVER -> new BFloat16Lanes();
                    case ONCE_COMPILED -> new WarmingLanes();
                    case ALWAYS -> new BFloat16VectorLanes();
                };
            case FLOAT64, INT8, UINT8, INT32, UINT32, INT64, UINT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("no type of arithmetic in FLOAT32: type=" + type);
        };
    }

    /** {@return lanes of any floating-point type whose numbers are doubles} */
    static StripLanes<double[]> doubleLanes(DType type) {
        return type == DType.FLOAT64 ? new CopyLanes.OfDoubles() : new WideLanes(floatLanes(type));
    }

    private static StripFold<?> onIntegers(
            DType type, Arithmetic<byte[]> bytes, Arithmetic<int[]> ints, Arithmetic<long[]> longs) {
        int n = StripFold.STRIP;
        return switch (type) {
            case INT8, UINT8 -> bytes(new CopyLanes.OfBytes(), bytes);
            case INT32, UINT32 -> {
                StripLanes<int[]> lanes = new CopyLanes.OfInts();
                yield new StripFold<>(lanes, lanes, ints, new int[n], new int[n]);
            }
            case INT64, UINT64 -> {
                StripLanes<long[]> lanes = new CopyLanes.OfLongs();
                yield new StripFold<>(lanes, lanes, longs, new long[n], new long[n]);
            }
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("no type of integer arithmetic: type=" + type);
        };
    }

    private static StripFold<float[]> floats(StripLanes<float[]> elements, Arithmetic<float[]> arithmetic) {
        int n = StripFold.STRIP;
        return new StripFold<>(elements, new CopyLanes.OfFloats(), arithmetic, new float[n], new float[n]);
    }

    private static StripFold<byte[]> bytes(StripLanes<byte[]> lanes, Arithmetic<byte[]> arithmetic) {
        int n = StripFold.STRIP;
        return new StripFold<>(lanes, lanes, arithmetic, new byte[n], new byte[n]);
    }

    private static IllegalArgumentException unsupported(DType type, Reduction reduction) {
        return new IllegalArgumentException("no such reduction: op=" + reduction.label() + ", type=" + type
                + "; see the table at ReduceOp for what each operation takes");
    }
}
