package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.train.BucketContract;
import io.reactivecomm.testkit.train.BucketDemandContract;
import io.reactivecomm.testkit.train.BucketFaultContract;
import io.reactivecomm.testkit.train.BucketReducerContract;
import io.reactivecomm.testkit.train.BucketRowsContract;
import io.reactivecomm.testkit.train.BucketStepContract;
import io.reactivecomm.testkit.train.PresenceContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of gradient buckets, over TCP on loopback. */
@Tag("repeated")
class TcpBucketContractTest {

    @Nested
    class Results extends BucketContract implements TcpWorlds {}

    @Nested
    class Demand extends BucketDemandContract implements TcpWorlds {}

    @Nested
    class Faults extends BucketFaultContract implements TcpWorlds {}

    @Nested
    class Reducers extends BucketReducerContract implements TcpWorlds {}

    @Nested
    class Rows extends BucketRowsContract implements TcpWorlds {}

    @Nested
    class Steps extends BucketStepContract implements TcpWorlds {}

    @Nested
    class Presence extends PresenceContract implements TcpWorlds {}
}
