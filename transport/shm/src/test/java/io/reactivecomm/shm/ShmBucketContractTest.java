package io.reactivecomm.shm;

import io.reactivecomm.testkit.BucketContract;
import io.reactivecomm.testkit.BucketDemandContract;
import io.reactivecomm.testkit.BucketFaultContract;
import org.junit.jupiter.api.Nested;

/** The contracts of gradient buckets, through shared memory. */
class ShmBucketContractTest {

    @Nested
    class Results extends BucketContract implements ShmWorlds {}

    @Nested
    class Demand extends BucketDemandContract implements ShmWorlds {}

    @Nested
    class Faults extends BucketFaultContract implements ShmWorlds {}
}
