package io.reactivecomm.internal.stream;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory of one end's notes, and the calls that use it: it is freed when the end is over and the last call has ended.
 *
 * <p><b>Threads.</b> Any; each place belongs to whoever has a call under way with it.
 */
final class ControlMessages {

    private final Tensor memory;
    /** Calls under way, and one for the end itself. */
    private final AtomicInteger users = new AtomicInteger(1);

    ControlMessages(ProcessGroup group, int places) {
        this.memory = group.allocate(DType.UINT8, (long) places * ControlMessage.BYTES);
    }

    /** {@return the place of a note, to be sent or received} */
    Tensor at(int place) {
        return memory.slice((long) place * ControlMessage.BYTES, ControlMessage.BYTES);
    }

    /** {@return a tensor of no elements} */
    Tensor nothing() {
        return memory.slice(0, 0);
    }

    Tensor write(int place, ControlMessage note) {
        Tensor tensor = at(place);
        note.write(tensor.segment());
        return tensor;
    }

    ControlMessage read(int place) {
        return ControlMessage.read(at(place).segment());
    }

    /** A call begins. */
    void use() {
        users.incrementAndGet();
    }

    /** A call has ended and what it brought was read; or the end is over. */
    void letGo() {
        if (users.decrementAndGet() == 0) {
            memory.close();
        }
    }
}
