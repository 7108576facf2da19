package io.reactivecomm.simulator;

import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The statements of one rank on its payloads. Those of one content that lie in the same memory must be the same bytes, for a link may copy
 * only the first.
 */
final class PayloadContents {

    private final Map<Object, List<Seen>> seen = new IdentityHashMap<>();

    private record Seen(MemorySegment memory, MemorySegment bytes) {

        private boolean isAt(MemorySegment other) {
            return memory.equals(other) && memory.byteSize() == other.byteSize();
        }
    }

    /** Requires that a payload is what was sent before with its content. */
    void check(Frame.Data data) {
        if (data.content() == null) {
            return;
        }
        MemorySegment payload = data.payload();
        List<Seen> alike = seen.computeIfAbsent(data.content(), none -> new ArrayList<>());
        for (Seen each : alike) {
            if (each.isAt(payload) && each.bytes.mismatch(payload) >= 0) {
                throw new Violation(
                        "payloads of one content differ: grant=" + data.grant() + ", bytes=" + payload.byteSize());
            }
        }
        alike.add(new Seen(
                payload,
                MemorySegment.ofArray(new byte[(int) payload.byteSize()]).copyFrom(payload)));
    }
}
