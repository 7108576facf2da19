package io.reactivecomm.internal.composite;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.Scatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
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
final class ObjectSubscription<T> {

    /** JSON of that size takes 3 ms to read, and the way to another thread and back a hundredth of that. */
    private static final long MOST_BYTES_ON_LOOP = 256 << 10;

    private final Conversation talk;
    private final BoundedCodec<T> codec;
    private final Temporaries memory;

    /** @param memory holds what this needs; the caller closes it at the end */
    ObjectSubscription(Conversation talk, BoundedCodec<T> codec, Temporaries memory) {
        this.talk = talk;
        this.codec = codec;
        this.memory = memory;
    }

    Mono<List<T>> allGather(T value) {
        Own own = new Own();
        Tensor headers = headers(talk.size());
        return talk.next(() -> new AllGather(own.write(value), headers))
                .flatMap(work -> exchange(lengths(headers, 0), parts -> new AllGather(own.bytes(), parts)))
                .flatMap(parts -> read(parts, codec::decodeAll));
    }

    /** {@return every rank's object on the root, none elsewhere} */
    Mono<List<T>> gather(T value, int root) {
        Own own = new Own();
        boolean isRoot = talk.rank() == root;
        Tensor headers = headers(isRoot ? talk.size() : 0);
        return talk.next(() -> new Gather(own.write(value), cut(headers), root))
                .flatMap(work -> exchange(lengths(headers, 0), parts -> new Gather(own.bytes(), parts, root)))
                .flatMap(parts -> read(parts, codec::decodeAll));
    }

    Mono<T> broadcast(@Nullable T value, int root) {
        Own own = new Own();
        boolean isRoot = talk.rank() == root;
        Tensor header = headers(1);
        return talk.next(() -> new Broadcast(isRoot ? own.write(value) : header, root))
                .flatMap(work -> isRoot
                        ? talk.next(() -> new Broadcast(own.bytes(), root)).thenReturn(List.of(own.bytes()))
                        : exchange(lengths(header, root), parts -> new Broadcast(parts.getFirst(), root)))
                .flatMap(bytes -> read(bytes, one -> codec.decode(one.getFirst(), root)));
    }

    Mono<T> scatter(@Nullable List<T> values, int root) {
        List<Own> all = new ArrayList<>();
        Tensor header = headers(1);
        return talk.next(() -> {
                    all.addAll(talk.rank() == root ? written(values) : List.of());
                    return new Scatter(all.stream().map(Own::header).toList(), header, root);
                })
                .flatMap(work -> all.isEmpty()
                        ? exchange(lengths(header, root), parts -> new Scatter(List.of(), parts.getFirst(), root))
                        : talk.next(() -> new Scatter(
                                        all.stream().map(Own::bytes).toList(),
                                        all.get(root).bytes(),
                                        root))
                                .thenReturn(List.of(all.get(root).bytes())))
                .flatMap(bytes -> read(bytes, one -> codec.decode(one.getFirst(), root)));
    }

    /** {@return a tensor for each object of these lengths, once the call has filled them} */
    private Mono<List<Tensor>> exchange(long[] lengths, Function<List<Tensor>, Collective> call) {
        List<Tensor> parts = new ArrayList<>();
        Supplier<Collective> making = () -> {
            for (long length : lengths) {
                parts.add(memory.tensor(DType.UINT8, length));
            }
            return call.apply(parts);
        };
        boolean holdsALoop = Arrays.stream(lengths).sum() > MOST_BYTES_ON_LOOP;
        return (holdsALoop ? talk.nextAside(making) : talk.next(making)).thenReturn(parts);
    }

    private <R> Mono<R> read(List<Tensor> parts, Function<List<Tensor>, R> reading) {
        long bytes = parts.stream().mapToLong(Tensor::byteSize).sum();
        Mono<R> result = bytes > MOST_BYTES_ON_LOOP
                ? talk.aside(() -> reading.apply(parts))
                : Mono.fromSupplier(() -> reading.apply(parts));
        return talk.over().then(result);
    }

    private List<Own> written(@Nullable List<T> values) {
        if (values == null || values.size() != talk.size()) {
            throw new InvalidCallException(codec.kind().label() + " got too few or too many objects: objects="
                    + (values == null ? "null" : values.size()) + ", size=" + talk.size()
                    + "; pass one for each rank on the root");
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

    /** An object that this rank gives. */
    private final class Own {

        private @Nullable Tensor header;
        private @Nullable Tensor bytes;

        /** {@return its header, once it is written} */
        Tensor write(@Nullable T value) {
            Tensor encoded = codec.encode(value, memory, talk.isOnLoop());
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
