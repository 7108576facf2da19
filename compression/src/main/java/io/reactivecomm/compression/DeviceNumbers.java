package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.KernelLaunch.Input;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a device's codec encodes: as {@link Source} has them on a host.
 *
 * @param before what was lost before, of FLOAT32; null if nothing is added
 */
record DeviceNumbers(Tensor values, @Nullable Tensor before) {

    /** {@return how many there are, padding included} */
    long count() {
        return before == null ? values.count() : before.count();
    }

    /** {@return the fields of {@code struct source}, and others behind them} */
    List<Object> and(Object... others) {
        Stream<Object> own = Stream.of(
                new Input(values), values.count(), kind(values.type()), before == null ? 0L : new Input(before));
        return Stream.concat(own, Stream.of(others)).toList();
    }

    /** {@return a tensor as an argument, or an address of nothing} */
    static Object orNone(@Nullable Tensor tensor) {
        return tensor == null ? 0L : tensor;
    }

    /** {@return the kind of a type's elements, as kernels number them} */
    static long kind(DType type) {
        return switch (type) {
            case FLOAT16 -> 0;
            case BFLOAT16 -> 1;
            case FLOAT32 -> 2;
            case FLOAT64, INT8, UINT8, INT32, UINT32, INT64, UINT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("no type of arithmetic in FLOAT32: type=" + type);
        };
    }
}
