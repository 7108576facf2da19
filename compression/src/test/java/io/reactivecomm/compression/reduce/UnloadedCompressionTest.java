package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.testkit.UnloadedProgram;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** A program whose ranks compress leaves nothing behind in its JVM. */
@Timeout(120)
@Tag("thorough")
class UnloadedCompressionTest {

    /** Two ranks, and an encoding on the server's thread. */
    public static final class Ranks implements Runnable {

        @Override
        public void run() {
            encode(new TopK(0.1));
            try (LocalWorld world = ReactiveComm.local(2)) {
                Flux.fromIterable(world.groups())
                        .flatMap(group -> {
                            Tensor tensor = Tensor.of(new float[10_000]);
                            CompressedAllReduce compressed =
                                    CompressedAllReduce.of(CompressionOptions.inTwoSteps(new OneBit()));
                            return compressed
                                    .allReduce(group, "weights", tensor, ReduceOp.AVG)
                                    .doFinally(end -> {
                                        compressed.close();
                                        tensor.close();
                                    });
                        })
                        .blockLast(Duration.ofSeconds(30));
            }
        }

        private static void encode(Codec codec) {
            try (Tensor values = Tensor.of(new float[10_000]);
                    Tensor encoded = Tensor.allocate(DType.UINT8, codec.maxEncodedBytes(10_000))) {
                codec.encode(values, 1, encoded, new long[1]);
            }
        }
    }

    @Test
    void program_thatHasClosedAll_isCollected() throws Exception {
        UnloadedProgram.requireCollected(Ranks.class);
    }
}
