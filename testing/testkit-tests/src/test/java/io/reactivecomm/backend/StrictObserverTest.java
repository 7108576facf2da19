package io.reactivecomm.backend;

import io.reactivecomm.testkit.WorldContract.World;
import io.reactivecomm.testkit.Worlds;
import io.reactivecomm.testkit.group.CarriedObserverContract;
import io.reactivecomm.testkit.group.ObserverContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Observers of calls that an engine beside links performs. */
class StrictObserverTest {

    /** The worlds of that engine. */
    private interface Elsewhere extends Worlds {

        @Override
        default World open(int size) {
            return StrictWorlds.open(size);
        }

        @Override
        default boolean areOverLinks() {
            return false;
        }
    }

    @Nested
    @Tag("repeated")
    class OfGroups extends ObserverContract implements Elsewhere {}

    @Nested
    @Tag("repeated")
    class Carried extends CarriedObserverContract implements Elsewhere {}
}
