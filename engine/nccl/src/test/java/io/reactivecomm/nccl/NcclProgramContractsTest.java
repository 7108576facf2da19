package io.reactivecomm.nccl;

import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.collective.EnqueuedContract;
import io.reactivecomm.testkit.group.ObserverContract;
import io.reactivecomm.testkit.train.BucketContract;
import io.reactivecomm.testkit.train.BucketDemandContract;
import io.reactivecomm.testkit.train.BucketFaultContract;
import io.reactivecomm.testkit.train.BucketReducerContract;
import io.reactivecomm.testkit.train.BucketRowsContract;
import io.reactivecomm.testkit.train.BucketStepContract;
import io.reactivecomm.testkit.train.HookContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of enqueued calls, observers, buckets and hooks over the doubles of NCCL and CUDA. */
@Tag("repeated")
class NcclProgramContractsTest {

    @Nested
    class Enqueued extends EnqueuedContract implements NcclWorlds {

        @Override
        protected Pause pause() {
            CudaDouble.JVM.hold(0, true);
            return () -> CudaDouble.JVM.hold(0, false);
        }
    }

    @Nested
    @Tag("thorough")
    class Observers extends ObserverContract implements NcclWorlds {}

    @Nested
    class Buckets extends BucketContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class StepsOfBuckets extends BucketStepContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class RowsOfBuckets extends BucketRowsContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class FaultsOfBuckets extends BucketFaultContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class DemandOfBuckets extends BucketDemandContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Reducers extends BucketReducerContract implements NcclWorlds {}

    @Nested
    @Tag("thorough")
    class Hooks extends HookContract implements NcclWorlds {}
}
