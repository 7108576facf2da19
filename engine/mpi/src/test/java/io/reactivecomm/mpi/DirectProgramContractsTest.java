package io.reactivecomm.mpi;

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

/** The contracts of observers, buckets and hooks over the doubles of MPI and CUDA, with tensors on a device: by its addresses. */
@Tag("thorough")
class DirectProgramContractsTest {

    @Nested
    class Observers extends ObserverContract implements CudaWorlds.Direct {}

    @Nested
    class Buckets extends BucketContract implements CudaWorlds.Direct {}

    @Nested
    class StepsOfBuckets extends BucketStepContract implements CudaWorlds.Direct {}

    @Nested
    class RowsOfBuckets extends BucketRowsContract implements CudaWorlds.Direct {}

    @Nested
    class FaultsOfBuckets extends BucketFaultContract implements CudaWorlds.Direct {}

    @Nested
    class DemandOfBuckets extends BucketDemandContract implements CudaWorlds.Direct {}

    @Nested
    class Reducers extends BucketReducerContract implements CudaWorlds.Direct {}

    @Nested
    class Hooks extends HookContract implements CudaWorlds.Direct {}
}
