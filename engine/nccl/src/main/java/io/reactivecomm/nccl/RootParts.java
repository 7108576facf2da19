package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The gathers and scatters of one group in a batch. Before anything is launched, each root sends the other ranks over links whether its parts are
 * {@linkplain RootPart regular}. So all ranks perform a call in the same way.
 *
 * <p><b>Threads.</b> The launch stream's thread; messages complete on another thread.
 */
final class RootParts {

    private final ProcessGroup links;
    private final EngineGroup group;
    /** Distinguishes its messages from those of other batches in flight. */
    private final int tag;

    private final Runnable look;
    private final List<NcclCall> calls = new ArrayList<>();
    private final List<RootPart> parts = new ArrayList<>();
    /** The index of each call's first part. */
    private final Map<NcclCall, Integer> starts = new HashMap<>();

    private Disposable exchange = Disposables.disposed();
    private volatile boolean isKnown;
    private volatile @Nullable Throwable failure;

    /**
     * Creates an exchange without calls.
     *
     * @param number how many exchanges the group has had before
     * @param look runs when the exchange is over
     */
    RootParts(ProcessGroup control, EngineGroup group, int number, Runnable look) {
        this.links = control.named("nccl\u0001parts" + group.id() + "," + group.generation());
        this.group = group;
        this.tag = number;
        this.look = look;
    }

    void add(NcclCall call, List<RootPart> own) {
        starts.put(call, parts.size());
        calls.add(call);
        parts.addAll(own);
    }

    void begin() {
        exchange = Mono.defer(this::exchanged).subscribe(ignored -> {}, this::failed, this::known);
    }

    private Mono<Void> exchanged() {
        List<Tensor> used = new ArrayList<>();
        List<Mono<?>> messages = new ArrayList<>();
        for (int root : parts.stream().map(RootPart::root).distinct().sorted().toList()) {
            if (root == group.rank()) {
                for (int peer = 0; peer < group.worldRanks().size(); peer++) {
                    if (peer != root) {
                        Tensor out = Tensor.of(own());
                        used.add(out);
                        messages.add(links.send(out, group.worldRanks().get(peer), tag));
                    }
                }
            } else {
                Tensor in = Tensor.allocate(DType.INT8, parts.size());
                used.add(in);
                messages.add(links.receive(in, group.worldRanks().get(root), tag)
                        .doOnNext(work -> told(root, in.toByteArray())));
            }
        }
        return Flux.merge(Flux.fromIterable(messages), messages.size() + 1)
                .then()
                .doFinally(end -> used.forEach(Tensor::close));
    }

    private byte[] own() {
        byte[] bytes = new byte[parts.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (parts.get(i).isRegular() ? 1 : 0);
        }
        return bytes;
    }

    private void told(int root, byte[] regular) {
        for (int i = 0; i < regular.length; i++) {
            if (parts.get(i).root() == root) {
                parts.set(i, new RootPart(root, regular[i] != 0));
            }
        }
    }

    private void known() {
        isKnown = true;
        look.run();
    }

    private void failed(Throwable cause) {
        failure = cause;
        look.run();
    }

    /** {@return whether the exchange has ended, or all its calls have failed for another reason} */
    boolean isOver() {
        return isKnown || failure != null || calls.stream().allMatch(NcclCall::isFailed);
    }

    /** Ends the exchange, and fails the calls if a message failed. */
    void tell() {
        exchange.dispose();
        Throwable thrown = failure;
        if (thrown != null) {
            calls.forEach(call -> call.fail(failure(call, thrown)));
        }
    }

    private static Failure failure(NcclCall call, Throwable thrown) {
        EngineGroup group = call.turn().group();
        return thrown instanceof CommException error
                ? Failure.of(error, group.worldRanks().get(group.rank()))
                : NcclFailures.of(call, thrown);
    }

    /** {@return whether the parts are regular, for each gather and scatter of the call and perhaps for later calls} */
    List<Boolean> regular(NcclCall call) {
        Integer start = starts.get(call);
        return !isKnown || start == null
                ? List.of()
                : parts.subList(start, parts.size()).stream()
                        .map(RootPart::isRegular)
                        .toList();
    }
}
