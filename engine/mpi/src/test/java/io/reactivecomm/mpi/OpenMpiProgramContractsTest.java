package io.reactivecomm.mpi;

import io.reactivecomm.testkit.group.CarriedObserverContract;
import io.reactivecomm.testkit.group.ObserverContract;
import io.reactivecomm.testkit.train.BucketContract;
import io.reactivecomm.testkit.train.BucketDemandContract;
import io.reactivecomm.testkit.train.BucketFaultContract;
import io.reactivecomm.testkit.train.BucketRowsContract;
import io.reactivecomm.testkit.train.BucketStepContract;
import io.reactivecomm.testkit.train.ReducedTwiceContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of observers and buckets over a double of Open MPI. */
@Tag("repeated")
class OpenMpiProgramContractsTest {

    @Nested
    @Tag("thorough")
    class Observers extends ObserverContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class CarriedObservers extends CarriedObserverContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class Buckets extends BucketContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class StepsOfBuckets extends BucketStepContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class RowsOfBuckets extends BucketRowsContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class FaultsOfBuckets extends BucketFaultContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class DemandOfBuckets extends BucketDemandContract implements MpiWorlds.OpenMpi {}

    @Nested
    @Tag("thorough")
    class ReducedTwice extends ReducedTwiceContract implements MpiWorlds.OpenMpi {}
}
