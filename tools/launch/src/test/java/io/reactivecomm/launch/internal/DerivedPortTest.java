package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DerivedPortTest {

    @Test
    void of_manyJobs_staysInRangeAndSpreads() {
        Set<Integer> ports = new TreeSet<>();
        for (int job = 0; job < 1000; job++) {
            int port = DerivedPort.of(Integer.toString(1913061377 + (job << 16)));
            assertThat(port).isBetween(DerivedPort.FIRST, DerivedPort.FIRST + DerivedPort.PORTS - 1);
            ports.add(port);
        }
        // 1000 of 8192 by chance: about 942 different ones.
        assertThat(ports).hasSizeGreaterThan(900);
    }
}
