package io.reactivecomm.backend;

import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.ScopeMessageContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Scopes over an engine that refuses any disorder. */
class StrictCoalesceTest {

    @Nested
    @Tag("repeated")
    class Collectives extends CoalesceContract {

        @Override
        public World open(int size) {
            return StrictWorlds.open(size);
        }
    }

    @Nested
    @Tag("repeated")
    class Messages extends ScopeMessageContract {

        @Override
        public World open(int size) {
            return StrictWorlds.open(size);
        }
    }
}
