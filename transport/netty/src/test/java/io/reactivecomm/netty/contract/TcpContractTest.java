package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.BadCallContract;
import io.reactivecomm.testkit.BarrierContract;
import io.reactivecomm.testkit.CallbackContract;
import io.reactivecomm.testkit.CollectiveContract;
import io.reactivecomm.testkit.DemandContract;
import io.reactivecomm.testkit.DisagreementContract;
import io.reactivecomm.testkit.FaultContract;
import io.reactivecomm.testkit.FlowContract;
import io.reactivecomm.testkit.GroupContract;
import io.reactivecomm.testkit.GroupLifeContract;
import io.reactivecomm.testkit.Matrix;
import io.reactivecomm.testkit.MeshContract;
import io.reactivecomm.testkit.MessageContract;
import io.reactivecomm.testkit.ReductionContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.SubscriptionContract;
import org.junit.jupiter.api.Nested;

/** The contracts of the test kit, over TCP on loopback. */
class TcpContractTest {

    /** What Netty's allocators keep for the life of the JVM: a chunk for each thread that ever allocated. */
    private static final long POOLED_BYTES = 256L << 20;

    @Nested
    class Collectives extends CollectiveContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }

        @Override
        protected Matrix matrix() {
            return Matrix.pairwise();
        }
    }

    @Nested
    class Subscriptions extends SubscriptionContract {

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
    class Demand extends DemandContract {

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
    class Callbacks extends CallbackContract {

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
    class Messages extends MessageContract {

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
    class BadCalls extends BadCallContract {

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
    class Disagreements extends DisagreementContract {

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
    class Faults extends FaultContract {

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
    class Flow extends FlowContract {

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
    class Rows extends RowContract {

        @Override
        protected World open(int size) {
            return TcpWorld.open(size);
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }

        @Override
        protected Matrix matrix() {
            return Matrix.pairwise();
        }
    }

    @Nested
    class Groups extends GroupContract {

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
    class GroupLives extends GroupLifeContract {

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
    class Barriers extends BarrierContract {

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
    class Reductions extends ReductionContract {

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
    class Meshes extends MeshContract {

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
