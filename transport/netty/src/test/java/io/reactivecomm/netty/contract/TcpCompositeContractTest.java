package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.BadObjectContract;
import io.reactivecomm.testkit.HookContract;
import io.reactivecomm.testkit.ObjectContract;
import io.reactivecomm.testkit.SparseContract;
import org.junit.jupiter.api.Nested;

/** The contracts of what is made of several collectives, over TCP on loopback. */
class TcpCompositeContractTest {

    /** What Netty's allocators keep for the life of the JVM: a chunk for each thread that ever allocated. */
    private static final long POOLED_BYTES = 256L << 20;

    @Nested
    class Objects extends ObjectContract {

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
    class BadObjects extends BadObjectContract {

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
    class SparseTensors extends SparseContract {

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
    class Hooks extends HookContract {

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
