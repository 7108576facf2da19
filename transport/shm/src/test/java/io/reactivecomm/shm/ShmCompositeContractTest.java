package io.reactivecomm.shm;

import io.reactivecomm.testkit.BadObjectContract;
import io.reactivecomm.testkit.HookContract;
import io.reactivecomm.testkit.ObjectContract;
import io.reactivecomm.testkit.SparseContract;
import org.junit.jupiter.api.Nested;

/** The contracts of what is made of several collectives, through shared memory. */
class ShmCompositeContractTest {

    @Nested
    class Objects extends ObjectContract implements ShmWorlds {}

    @Nested
    class BadObjects extends BadObjectContract implements ShmWorlds {}

    @Nested
    class SparseTensors extends SparseContract implements ShmWorlds {}

    @Nested
    class Hooks extends HookContract implements ShmWorlds {}
}
