package io.reactivecomm.internal.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.recorder.ThreadRecord;
import org.junit.jupiter.api.Test;

/** The threads of a dump in a runtime that has no bean to ask. */
class JvmThreadsTest {

    @Test
    void withoutLocks_hasEachThreadWithItsFrames() {
        Thread caller = Thread.currentThread();
        assertThat(JvmThreads.withoutLocks(caller))
                .filteredOn(ThreadRecord::isCaller)
                .singleElement()
                .satisfies(record -> {
                    assertThat(record.name()).isEqualTo(caller.getName());
                    assertThat(String.join(" ", record.stack())).contains("withoutLocks_hasEachThreadWithItsFrames");
                });
    }
}
