package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One of two ranks whose job sends what an eavesdropper would like to read. Rank 0 captures all that goes between the two hosts, and prints {@code packets N bytes N} and
 * {@code seen [...]}, the parts that are readable in it.
 */
final class CapturedRank {

    /** Of the tensors. */
    static final int TENSOR_BYTES = 1 << 20;

    private static final String TENSOR = "one of the model's weights, again and again; ";
    private static final String NAME = "the-name-of-a-layer";
    private static final String OBJECT = "an object of the program";
    private static final String REASON = "the loss has become infinite";
    /** The first bytes of a connection, which are never encrypted. */
    private static final String GREETING = "RCOMM\0\0";

    private static final Duration BOUND = Duration.ofSeconds(60);

    private CapturedRank() {}

    public static void main(String[] arguments) throws IOException {
        if (!System.getenv("RANK").equals("0")) {
            run();
            return;
        }
        try (PacketCapture capture = new PacketCapture(HostInterface.NAME)) {
            run();
            List<byte[]> packets = capture.packets();
            System.out.println("packets " + packets.size() + " bytes "
                    + packets.stream().mapToLong(packet -> packet.length).sum());
            System.out.println("seen " + seenIn(packets));
        }
    }

    private static List<String> seenIn(List<byte[]> packets) {
        Map<String, String> secrets = new LinkedHashMap<>();
        secrets.put("greeting", GREETING);
        secrets.put("tensor", TENSOR);
        secrets.put("name", NAME);
        secrets.put("object", OBJECT);
        secrets.put("error", REASON);
        secrets.put("token", System.getenv("RCOMM_TOKEN"));
        List<String> seen = new ArrayList<>();
        secrets.forEach((what, text) -> {
            // Of Latin-1 each byte is a character.
            if (packets.stream().anyMatch(packet -> new String(packet, StandardCharsets.ISO_8859_1).contains(text))) {
                seen.add(what);
            }
        });
        return seen;
    }

    private static void run() {
        try (ProcessGroup group = ReactiveComm.connect().block(BOUND);
                Tensor tensor = Tensor.allocate(DType.UINT8, TENSOR_BYTES)) {
            byte[] text = TENSOR.repeat(TENSOR_BYTES / TENSOR.length()).getBytes(StandardCharsets.US_ASCII);
            MemorySegment.copy(MemorySegment.ofArray(text), 0, tensor.segment(), 0, text.length);
            group.allReduce(tensor, ReduceOp.MAX).block(BOUND);
            group.broadcast(tensor, 0).block(BOUND);
            group.allGatherObject(OBJECT, String.class).block(BOUND);
            ProcessGroup layer = group.named(NAME);
            try {
                (group.rank() == 0 ? layer.allReduce(tensor, ReduceOp.MAX) : layer.broadcast(tensor, 0)).block(BOUND);
                throw new IllegalStateException("calls that differ have matched");
            } catch (MismatchException e) {
                // As it should be: the text names the call.
            }
            if (group.rank() == 1) {
                group.abort(REASON);
            }
            try {
                group.ended().block(BOUND);
            } catch (GroupClosedException e) {
                System.out.println(e.getMessage().contains(REASON) ? "ended with the reason" : "ended otherwise: " + e);
            }
        }
    }
}
