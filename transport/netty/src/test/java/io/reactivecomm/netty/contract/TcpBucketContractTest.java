package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.BucketContract;
import io.reactivecomm.testkit.BucketDemandContract;
import io.reactivecomm.testkit.BucketFaultContract;
import io.reactivecomm.testkit.BucketReducerContract;
import io.reactivecomm.testkit.BucketRowsContract;
import io.reactivecomm.testkit.BucketStepContract;
import io.reactivecomm.testkit.PresenceContract;
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
