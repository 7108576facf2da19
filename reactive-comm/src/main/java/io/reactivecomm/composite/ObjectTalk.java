package io.reactivecomm.composite;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Conversation;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.Scatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One subscription of a collective of objects.
 *
 * <p>Objects are written inside the first call's supplier: one that cannot be written refuses that call, which the others wait in.
 *
 * <p><b>Threads.</b> One after the other, as the two calls follow each other.
 */
final class ObjectTalk<T> {

    private final Conversation talk;
    private final BoundedCodec<T> codec;
    private final Temporaries memory;

    /** @param memory holds what this needs; the caller closes it at the end */
    ObjectTalk(Conversation talk, BoundedCodec<T> codec, Temporaries memory) {
        this.talk = talk;
        this.codec = codec;
        this.memory = memory;
    }

    Mono<List<T>> allGather(T value) {
        Own own = new Own();
        Tensor headers = headers(talk.size());
        return talk.next(() -> new AllGather(own.write(value), headers))
                .flatMap(work -> {
                    List<Tensor> parts = parts(lengths(headers, 0));
                    return talk.next(() -> new AllGather(own.bytes(), parts)).thenReturn(parts);
                })
                .map(codec::decodeAll);
    }

    /** {@return every rank's object on the root, none elsewhere} */
    Mono<List<T>> gather(T value, int root) {
        Own own = new Own();
        boolean isRoot = talk.rank() == root;
        Tensor headers = headers(isRoot ? talk.size() : 0);
        return talk.next(() -> new Gather(own.write(value), cut(headers), root))
                .flatMap(work -> {
                    List<Tensor> parts = parts(lengths(headers, 0));
                    return talk.next(() -> new Gather(own.bytes(), parts, root)).thenReturn(parts);
                })
                .map(codec::decodeAll);
    }

    Mono<T> broadcast(@Nullable T value, int root) {
        Own own = new Own();
        boolean isRoot = talk.rank() == root;
        Tensor header = headers(1);
        return talk.next(() -> new Broadcast(isRoot ? own.write(value) : header, root))
                .flatMap(work -> {
                    Tensor bytes = isRoot ? own.bytes() : parts(lengths(header, root)).getFirst();
                    return talk.next(() -> new Broadcast(bytes, root)).thenReturn(bytes);
                })
                .map(bytes -> codec.decode(bytes, root));
    }

    Mono<T> scatter(@Nullable List<T> values, int root) {
        List<Own> all = new ArrayList<>();
        Tensor header = headers(1);
        return talk.next(() -> {
                    all.addAll(talk.rank() == root ? written(values) : List.of());
                    return new Scatter(all.stream().map(Own::header).toList(), header, root);
                })
                .flatMap(work -> {
                    Tensor bytes = all.isEmpty() ? parts(lengths(header, root)).getFirst() : all.get(root).bytes();
                    return talk.next(() -> new Scatter(all.stream().map(Own::bytes).toList(), bytes, root)).thenReturn(bytes);
                })
                .map(bytes -> codec.decode(bytes, root));
    }

    private List<Own> written(@Nullable List<T> values) {
        if (values == null || values.size() != talk.size()) {
            throw new InvalidCallException(codec.kind().label() + " got too few or too many objects: objects="
                    + (values == null ? "null" : values.size()) + ", size=" + talk.size() + "; pass one for each rank on the root");
        }
        List<Own> all = new ArrayList<>();
        long total = 0;
        for (T value : values) {
            Own own = new Own();
            own.write(value);
            total += own.bytes().byteSize();
            ObjectHeader.requireTogether(codec.kind(), total);
            all.add(own);
        }
        return all;
    }

    private Tensor headers(int ranks) {
        return ObjectHeader.tensor(memory, ranks);
    }

    /** {@return a header each} */
    private static List<Tensor> cut(Tensor headers) {
        return IntStream.range(0, Math.toIntExact(headers.count() / ObjectHeader.COUNT))
                .mapToObj(i -> headers.slice((long) ObjectHeader.COUNT * i, ObjectHeader.COUNT))
                .toList();
    }

    private long[] lengths(Tensor headers, int firstRank) {
        return ObjectHeader.lengths(codec.kind(), headers, firstRank, codec.mostBytes());
    }

    /** {@return a tensor for each object of these lengths} */
    private List<Tensor> parts(long... lengths) {
        return Arrays.stream(lengths).mapToObj(length -> memory.tensor(DType.UINT8, length)).toList();
    }

    /** An object that this rank gives. */
    private final class Own {

        private @Nullable Tensor header;
        private @Nullable Tensor bytes;

        /** {@return its header, once it is written} */
        Tensor write(@Nullable T value) {
            Tensor encoded = codec.encode(value, memory);
            Tensor first = headers(1);
            ObjectHeader.write(first, codec.kind(), encoded.byteSize());
            bytes = encoded;
            header = first;
            return first;
        }

        Tensor header() {
            return written(header);
        }

        Tensor bytes() {
            return written(bytes);
        }

        private static Tensor written(@Nullable Tensor tensor) {
            if (tensor == null) {
                throw new IllegalStateException("an object was not written: write comes first");
            }
            return tensor;
        }
    }
}
