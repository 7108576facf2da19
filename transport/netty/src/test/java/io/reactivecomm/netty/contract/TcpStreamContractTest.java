package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.BatchContract;
import io.reactivecomm.testkit.PartsContract;
import io.reactivecomm.testkit.ReducedPartsContract;
import io.reactivecomm.testkit.StreamContract;
import io.reactivecomm.testkit.StreamDemandContract;
import io.reactivecomm.testkit.StreamFaultContract;
import org.junit.jupiter.api.Nested;

/** The contracts of streams, parts and batches, over TCP on loopback. */
class TcpStreamContractTest {

    /** What Netty's allocators keep for the life of the JVM: a chunk for each thread that ever allocated. */
    private static final long POOLED_BYTES = 256L << 20;

    @Nested
    class Streams extends StreamContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }
    }

    @Nested
    class StreamDemand extends StreamDemandContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }
    }

    @Nested
    class StreamFaults extends StreamFaultContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }
    }

    @Nested
    class Parts extends PartsContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }
    }

    @Nested
    class ReducedParts extends ReducedPartsContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }
    }

    @Nested
    class Batches extends BatchContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }
    }
}
