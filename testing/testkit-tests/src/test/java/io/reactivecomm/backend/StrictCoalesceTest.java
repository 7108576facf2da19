package io.reactivecomm.backend;

import io.reactivecomm.testkit.CoalesceContract;
import io.reactivecomm.testkit.ScopeMessageContract;
import org.junit.jupiter.api.Nested;

/** Scopes over an engine that refuses any disorder. */
class StrictCoalesceTest {

    @Nested
    class Collectives extends CoalesceContract {

        @Override
        public World open(int size) {
            return StrictWorlds.open(size);
        }
    }

    @Nested
    class Messages extends ScopeMessageContract {

        @Override
        public World open(int size) {
            return StrictWorlds.open(size);
        }
    }
}
