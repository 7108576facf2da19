package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;

/**
 * Where fold kernels come from.
 *
 * <p>A kernel is {@link Lanes how elements become numbers}, {@link Arithmetic what is done with numbers}, and the
 * {@link StripFold strips} in between. FLOAT32 has a second form, on vectors, and BFLOAT16 has second lanes; they are
 * taken if the JVM was started with the module {@code jdk.incubator.vector}. Both forms give the same bits.
 */
public final class Kernels {

    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    private static final boolean HAS_VECTORS =
            ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();

    private Kernels() {}

    /**
     * {@return a new kernel, which serves one thread at a time}
     *
     * @throws IllegalArgumentException if the reduction does not support the type
     */
    public static FoldKernel of(DType type, Reduction reduction) {
        if (!reduction.supports(type)) {
            throw unsupported(type, reduction);
        }
        return switch (reduction) {
            case ReduceOp op -> HAS_VECTORS ? vectorised(type, op) : plain(type, op);
        };
    }

    /** {@return which form of the float32 kernels is in use, for a log line at start} */
    public static String describe() {
        return HAS_VECTORS
                ? "float32 kernels: Vector API, " + FloatVectorFold.describe()
                : "float32 kernels: plain loops; start the JVM with --add-modules " + VECTOR_MODULE + " for vectors";
    }

    /** {@return the form that wants the module, where the type has one; else the plain one} */
    static FoldKernel vectorised(DType type, ReduceOp op) {
        return switch (type) {
            case FLOAT32 -> new FloatVectorFold(op, floats(new CopyLanes.OfFloats(), op));
            case BFLOAT16 -> floats(new BFloat16VectorLanes(), op);
            case INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                plain(type, op);
        };
    }

    /** {@return the form that every JVM runs} */
    static FoldKernel plain(DType type, ReduceOp op) {
        return switch (type) {
            case FLOAT32 -> floats(new CopyLanes.OfFloats(), op);
            case FLOAT16 -> floats(new Float16Lanes(), op);
            case BFLOAT16 -> floats(new BFloat16Lanes(), op);
            case FLOAT64 -> doubles(op);
            case INT8 -> bytes(new CopyLanes.OfBytes(), op, false);
            case UINT8 -> bytes(new CopyLanes.OfBytes(), op, true);
            case BOOL -> bytes(new BooleanLanes(), op, false);
            case INT32 -> ints(op, false);
            case UINT32 -> ints(op, true);
            case INT64 -> longs(op, false);
            case UINT64 -> longs(op, true);
            case FLOAT8_E4M3, FLOAT8_E5M2 -> throw unsupported(type, op);
        };
    }

    private static StripFold<float[]> floats(Lanes<float[]> elements, ReduceOp op) {
        int n = StripFold.STRIP;
        Lanes<float[]> partials = new CopyLanes.OfFloats();
        return new StripFold<>(elements, partials, new FloatArithmetic(op), new float[n], new float[n]);
    }

    private static StripFold<double[]> doubles(ReduceOp op) {
        int n = StripFold.STRIP;
        Lanes<double[]> lanes = new CopyLanes.OfDoubles();
        return new StripFold<>(lanes, lanes, new DoubleArithmetic(op), new double[n], new double[n]);
    }

    private static StripFold<byte[]> bytes(Lanes<byte[]> lanes, ReduceOp op, boolean isUnsigned) {
        int n = StripFold.STRIP;
        return new StripFold<>(lanes, lanes, new ByteArithmetic(op, isUnsigned), new byte[n], new byte[n]);
    }

    private static StripFold<int[]> ints(ReduceOp op, boolean isUnsigned) {
        int n = StripFold.STRIP;
        Lanes<int[]> lanes = new CopyLanes.OfInts();
        return new StripFold<>(lanes, lanes, new IntArithmetic(op, isUnsigned), new int[n], new int[n]);
    }

    private static StripFold<long[]> longs(ReduceOp op, boolean isUnsigned) {
        int n = StripFold.STRIP;
        Lanes<long[]> lanes = new CopyLanes.OfLongs();
        return new StripFold<>(lanes, lanes, new LongArithmetic(op, isUnsigned), new long[n], new long[n]);
    }

    private static IllegalArgumentException unsupported(DType type, Reduction reduction) {
        return new IllegalArgumentException("no such reduction: op=" + reduction.label() + ", type=" + type
                + "; see the table at ReduceOp for what each operation takes");
    }
}
