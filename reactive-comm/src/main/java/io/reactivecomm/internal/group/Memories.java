package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorMemory;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.KernelLaunch;
import io.reactivecomm.device.KernelQueue;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.backend.Backends;
import io.reactivecomm.internal.base.Closings;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.LastingBorrows;
import io.reactivecomm.internal.base.SharedEnd;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * The memories that the tensors of a group are in: the host's, and those that engines offer of their devices.
 *
 * @param host where the host's tensors are taken from
 * @param backends the engines
 */
record Memories(TensorMemory host, Backends backends) {

    Tensor allocate(Device device, DType type, long... shape) {
        Objects.requireNonNull(
                device, () -> "a tensor is to be on no device: type=" + type + "; give one, such as Device.CPU");
        return device.equals(Device.CPU)
                ? Tensor.allocate(host, type, shape)
                : backends.memory(device.kind()).allocate(device, type, shape);
    }

    /** Does what is the host's at once, and enqueues the rest. */
    Handle move(List<Move> moves) {
        requireMoves(moves);
        if (areOnHost(moves)) {
            List<Tensor> borrowed = borrowed(moves);
            try {
                HostMoves.run(moves);
            } finally {
                borrowed.forEach(Tensor::giveBack);
            }
            return Handle.DONE;
        }
        Map<String, List<Move>> onDevices = new LinkedHashMap<>();
        List<Move> onHost = new ArrayList<>();
        for (Move move : moves) {
            String kind = kind(move);
            if (kind == null) {
                onHost.add(move);
            } else {
                onDevices.computeIfAbsent(kind, ignored -> new ArrayList<>()).add(move);
            }
        }
        // First of all, so that nothing begins if one of them is closed.
        List<Tensor> borrowed = borrowed(onHost);
        try {
            Handle onAll = enqueued(onDevices);
            HostMoves.run(onHost);
            return onAll;
        } finally {
            giveBack(borrowed);
        }
    }

    private static void requireMoves(List<Move> moves) {
        Objects.requireNonNull(moves, () -> "there is no list of moves; give one, which may be empty");
        for (int i = 0; i < moves.size(); i++) {
            int place = i;
            Objects.requireNonNull(
                    moves.get(i),
                    () -> "a list of moves lacks one: place=" + place + ", moves=" + moves.size()
                            + "; leave out what is not to be moved");
        }
    }

    private static boolean areOnHost(List<Move> moves) {
        for (int i = 0; i < moves.size(); i++) {
            if (kind(moves.get(i)) != null) {
                return false;
            }
        }
        return true;
    }

    /** {@return the kind of device that a move is for; null for the host} */
    private static @Nullable String kind(Move move) {
        Tensor from = move.from();
        Device target = move.to().device();
        Device source = from == null ? target : from.device();
        if (source.equals(Device.CPU)) {
            return target.equals(Device.CPU) ? null : target.kind();
        }
        if (!target.equals(Device.CPU) && !target.kind().equals(source.kind())) {
            throw new InvalidCallException("elements cannot move between devices of two kinds: from=" + from + ", to="
                    + move.to() + "; move them by way of a tensor of the host's");
        }
        return source.kind();
    }

    private Handle enqueued(Map<String, List<Move>> onDevices) {
        Map<DeviceMemory, List<Move>> byMemory = new LinkedHashMap<>();
        onDevices.forEach((kind, moves) -> byMemory.put(backends.memory(kind), List.copyOf(moves)));
        List<Handle> parts = new ArrayList<>();
        byMemory.forEach((memory, moves) -> parts.add(enqueued(memory, moves)));
        return parts.size() == 1
                ? parts.getFirst()
                : () -> Mono.whenDelayError(
                        parts.stream().map(Handle::completed).toList());
    }

    /** {@return where kernels for devices of a kind are enqueued, if they run any} */
    Optional<KernelQueue> kernels(Device device) {
        if (device.equals(Device.CPU)) {
            return Optional.empty();
        }
        DeviceMemory memory = backends.memory(device.kind());
        return memory.kernels().map(queue -> launches -> launched(memory, queue, List.copyOf(launches)));
    }

    private static Handle launched(DeviceMemory memory, KernelQueue queue, List<KernelLaunch> launches) {
        List<Tensor> tensors = launches.stream()
                .flatMap(each -> each.tensors().stream())
                .distinct()
                .toList();
        List<Tensor> written = launches.stream()
                .flatMap(each -> each.written().stream())
                .distinct()
                .toList();
        // Whether a kernel reads what it writes, it does not say.
        return enqueued(memory, () -> queue.launch(launches), borrowedAll(tensors), tensors, written);
    }

    private static Handle enqueued(DeviceMemory memory, List<Move> moves) {
        List<Tensor> read =
                moves.stream().map(Move::from).filter(Objects::nonNull).toList();
        return enqueued(
                memory,
                () -> memory.move(moves),
                borrowed(moves),
                read,
                moves.stream().map(Move::to).toList());
    }

    /** The tensors are borrowed until what is enqueued has ended. */
    private static Handle enqueued(
            DeviceMemory memory,
            Supplier<Handle> begin,
            List<Tensor> borrowed,
            List<Tensor> read,
            List<Tensor> written) {
        Runnable giveBack = () -> giveBack(borrowed);
        List<Mono<Void>> before = readiness(read);
        boolean isEnqueued = false;
        try {
            Handle handle = begin.get();
            isEnqueued = true;
            LastingBorrows.until(handle::released, giveBack);
            Enqueued enqueued = new Enqueued(memory, handle, before);
            written.forEach(each -> each.enqueued(enqueued));
            return enqueued;
        } finally {
            if (!isEnqueued) {
                giveBack.run();
            }
        }
    }

    /** {@return the ends of what has been enqueued on what is read: if that fails, so does what reads it} */
    private static List<Mono<Void>> readiness(List<Tensor> read) {
        List<Mono<Void>> pending = new ArrayList<>();
        for (Tensor tensor : read) {
            Mono<Void> each = tensor.readiness();
            if (each != null) {
                pending.add(each);
            }
        }
        return pending;
    }

    /** {@return the first of several errors} */
    private static Throwable first(Throwable error) {
        return Exceptions.isMultiple(error)
                ? first(Exceptions.unwrapMultiple(error).getFirst())
                : error;
    }

    /** {@return the tensors of moves, each borrowed as often as it is among them; none is, if one is closed} */
    private static List<Tensor> borrowed(List<Move> moves) {
        List<Tensor> tensors = new ArrayList<>(2 * moves.size());
        for (Move move : moves) {
            if (move.from() != null) {
                tensors.add(move.from());
            }
            tensors.add(move.to());
        }
        return borrowedAll(tensors);
    }

    /** Those who wait for a tensor are notified on this thread, and may throw. All tensors are given back. */
    private static void giveBack(List<Tensor> borrowed) {
        Closings closings = new Closings();
        borrowed.forEach(each -> closings.close("a borrow of a move", each::giveBack));
        closings.end();
    }

    private static List<Tensor> borrowedAll(List<Tensor> tensors) {
        List<Tensor> borrowed = new ArrayList<>(tensors.size());
        boolean areAll = false;
        try {
            tensors.forEach(each -> borrow(each, borrowed));
            areAll = true;
        } finally {
            if (!areAll) {
                giveBack(borrowed);
            }
        }
        return borrowed;
    }

    /** The handle of a memory's moves or kernels, with errors that a program expects, first of all those of what they have waited for on the device. */
    private static final class Enqueued implements Handle {

        private final DeviceMemory memory;
        private final Handle handle;
        private final Mono<Void> end;

        private Enqueued(DeviceMemory memory, Handle handle, List<Mono<Void>> before) {
            this.memory = memory;
            this.handle = handle;
            Mono<Void> own = handle.completed()
                    .onErrorMap(
                            error -> error.getClass() == CommException.class || !(error instanceof CommException),
                            this::failed);
            this.end = before.isEmpty()
                    ? own
                    : SharedEnd.of(Mono.whenDelayError(own, Mono.whenDelayError(before))
                            .onErrorMap(Memories::first));
        }

        @Override
        public Mono<Void> completed() {
            return end;
        }

        private CommException failed(Throwable error) {
            return new CommException(
                    "what was enqueued on a device was not done: device=" + memory.kind() + ", cause="
                            + ErrorTexts.describe(error) + "; look at the engine's own output",
                    error);
        }

        @Override
        public Mono<Void> released() {
            return handle.released();
        }
    }

    private static void borrow(Tensor tensor, List<Tensor> borrowed) {
        if (!tensor.borrow()) {
            throw new InvalidCallException("a tensor that is to be moved, or a kernel takes, is closed: tensor="
                    + tensor + "; keep it open until that is enqueued");
        }
        borrowed.add(tensor);
    }
}
