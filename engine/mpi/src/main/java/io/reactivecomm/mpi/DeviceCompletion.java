package io.reactivecomm.mpi;

import io.reactivecomm.CommException;
import io.reactivecomm.device.Handle;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The end of what a device was given, for ranks that look for it: a loop in its rounds, the worker while it is held.
 *
 * <p><b>Threads.</b> Any.
 */
final class DeviceCompletion {

    /** That of nothing. */
    static final DeviceCompletion DONE = done();

    private final Sinks.Empty<Void> done = Sinks.empty();
    private volatile boolean isDone;
    private volatile @Nullable Throwable fault;

    private DeviceCompletion() {}

    private static DeviceCompletion done() {
        DeviceCompletion arrival = new DeviceCompletion();
        arrival.arrived();
        return arrival;
    }

    /** {@return the end of all of them} */
    static DeviceCompletion of(List<Handle> handles) {
        DeviceCompletion arrival = new DeviceCompletion();
        Mono.whenDelayError(handles.stream().map(Handle::completed).toList())
                .subscribe(null, arrival::failed, arrival::arrived);
        return arrival;
    }

    private void failed(Throwable cause) {
        fault = cause;
        arrived();
    }

    private void arrived() {
        isDone = true;
        done.tryEmitEmpty();
    }

    /** Reports the end, at once if it is over, else on a thread of the device's, which must not be held up. */
    void whenDone(Runnable told) {
        if (isDone) {
            told.run();
        } else {
            done.asMono().subscribe(null, null, told);
        }
    }

    boolean isDone() {
        return isDone;
    }

    /** @throws CommException if what is over has failed */
    void requireWell() {
        Throwable cause = fault;
        if (cause != null) {
            throw new CommException(
                    "a device has not moved a tensor's elements: cause=" + CommException.textOf(cause), cause);
        }
    }

    /**
     * Waits. {@return whether it is over; false if it was called off}
     *
     * @throws CommException if what is over has failed
     */
    boolean await(BooleanSupplier isCalledOff) {
        BackOff backOff = new BackOff();
        while (!isDone) {
            if (isCalledOff.getAsBoolean()) {
                return false;
            }
            backOff.pause();
        }
        requireWell();
        return true;
    }
}
