package io.reactivecomm.internal.composite;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.ProgramError;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A caller's codec between objects and tensors of bytes, for one collective: what it refuses, or is too large, is a typed error.
 *
 * @param mostBytes the largest object, encoded
 */
record BoundedCodec<T>(ObjectKind kind, ObjectCodec<T> codec, long mostBytes) {

    /**
     * {@return the object's bytes}
     *
     * @throws InvalidCallException if there is no object, the codec refuses it, or it is too large
     */
    Tensor encode(@Nullable T value, Temporaries memory, boolean isOnLoop) {
        if (value == null) {
            throw new InvalidCallException(kind.label() + " got no object: value=null; pass one");
        }
        byte[] bytes = bytes(value, isOnLoop);
        if (bytes.length > mostBytes) {
            throw new InvalidCallException(kind.label() + " got an object that is too large: bytes=" + bytes.length
                    + ", most=" + mostBytes + "; send less, or raise CommConfig.objectBytes on all ranks");
        }
        Tensor tensor = memory.tensor(DType.UINT8, bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, tensor.segment(), 0, bytes.length);
        return tensor;
    }

    /** Whatever a codec throws refuses the call, which the others wait in; but on the loop what is fatal is no matter of one call. */
    private byte[] bytes(T value, boolean isOnLoop) {
        byte[] bytes;
        try {
            bytes = codec.encode(value);
        } catch (Exception | Error e) {
            if (isOnLoop) {
                ProgramError.throwIfFatal(e);
            }
            throw new InvalidCallException(
                    kind.label() + " cannot write an object: type="
                            + value.getClass().getName() + ", cause=" + ErrorTexts.describe(e)
                            + "; pass an object that the codec writes",
                    e);
        }
        if (bytes == null) {
            throw new InvalidCallException(
                    kind.label() + " got no bytes from the codec: codec=" + codec + "; let it return an empty array");
        }
        return bytes;
    }

    /**
     * {@return the object that another rank, or this one, has sent}
     *
     * @throws InvalidCallException if the codec does not take the bytes
     */
    T decode(Tensor bytes, int rank) {
        T value;
        try {
            value = codec.decode(bytes.toByteArray());
        } catch (Exception | Error e) {
            // No object is too large that has come: it is no matter of one call.
            ProgramError.throwIfFatal(e);
            throw unreadable(bytes, rank, ErrorTexts.describe(e), e);
        }
        if (value == null) {
            throw unreadable(bytes, rank, "the codec returned null", null);
        }
        return value;
    }

    private InvalidCallException unreadable(Tensor bytes, int rank, String cause, @Nullable Throwable thrown) {
        String text = kind.label() + " cannot read an object: fromRank=" + rank + ", bytes=" + bytes.byteSize()
                + ", cause=" + cause + "; let all ranks use the same type and codec";
        return thrown == null ? new InvalidCallException(text) : new InvalidCallException(text, thrown);
    }

    /** {@return the objects of ranks 0 on} */
    List<T> decodeAll(List<Tensor> bytes) {
        List<T> values = new ArrayList<>(bytes.size());
        for (int rank = 0; rank < bytes.size(); rank++) {
            values.add(decode(bytes.get(rank), rank));
        }
        return List.copyOf(values);
    }
}
