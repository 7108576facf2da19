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

/** The contracts of observers, buckets and hooks over the doubles of MPI and CUDA, with tensors on a device: staged in the host's memory. */
@Tag("repeated")
class StagedProgramContractsTest {

    @Nested
    @Tag("thorough")
    class Observers extends ObserverContract implements CudaWorlds.Staged {}

    @Nested
    class Buckets extends BucketContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class StepsOfBuckets extends BucketStepContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class RowsOfBuckets extends BucketRowsContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class FaultsOfBuckets extends BucketFaultContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class DemandOfBuckets extends BucketDemandContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class Reducers extends BucketReducerContract implements CudaWorlds.Staged {}

    @Nested
    @Tag("thorough")
    class Hooks extends HookContract implements CudaWorlds.Staged {}
}
