package io.reactivecomm.pytorch;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.bytedeco.pytorch.LongArrayRef;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** The memory of torch's tensors, as tensors of the library and back. */
final class TorchMemory {

    private TorchMemory() {}

    /** {@return the type of the same elements; null if the library has none} */
    static @Nullable DType type(Tensor tensor) {
        return switch (tensor.scalar_type().intern()) {
            case Float -> DType.FLOAT32;
            case Double -> DType.FLOAT64;
            case Half -> DType.FLOAT16;
            case BFloat16 -> DType.BFLOAT16;
            case Int -> DType.INT32;
            case Long -> DType.INT64;
            case Byte -> DType.UINT8;
            case Char -> DType.INT8;
            case Bool -> DType.BOOL;
            default -> null;
        };
    }

    static long[] values(LongArrayRef numbers) {
        long[] values = new long[(int) numbers.size()];
        Arrays.setAll(values, numbers::get);
        return values;
    }

    static long address(Tensor tensor) {
        var pointer = tensor.data_ptr();
        return pointer == null || pointer.isNull() ? 0 : pointer.address();
    }

    /** {@return a view of the elements, in the order of memory} The torch tensor must outlive it. */
    static io.reactivecomm.Tensor view(Tensor tensor, DType type) {
        long count = tensor.numel();
        MemorySegment memory = MemorySegment.ofAddress(address(tensor)).reinterpret(count * type.byteSize());
        return io.reactivecomm.Tensor.wrap(memory, type, count);
    }
}
