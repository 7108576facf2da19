package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SharedMappingTest {

    @Test
    void parse_findsWhatOthersMayMapToo() {
        assertThat(SharedMapping.parse(List.of(
                        "7f01-7f02 rw-s 00000000 00:01 4711                       /memfd:reactive-comm (deleted)",
                        "7f02-7f03 r--s 00010000 00:01 4712                       /memfd:reactive-comm (deleted)",
                        "7f03-7f04 rw-s 00000000 00:2a 12                         /dev/shm/segment",
                        "7f04-7f05 r--s 00000000 fd:00 99                         /usr/lib/gconv-modules.cache",
                        "7f05-7f06 rw-p 00000000 fd:00 98                         /usr/lib/libc.so.6",
                        "7f06-7f07 rw-s 00000000 00:06 97                         /dev/nvidia0",
                        "7f06-7f07 rw-s 00000000 00:0f 1057                       anon_inode:[io_uring]",
                        "7f07-7f08 rw-p 00000000 00:00 0")))
                .containsExactlyInAnyOrder(
                        new SharedMapping("00:01 4711 /memfd:reactive-comm (deleted)", true),
                        new SharedMapping("00:01 4712 /memfd:reactive-comm (deleted)", false),
                        new SharedMapping("00:2a 12 /dev/shm/segment", true),
                        new SharedMapping("fd:00 99 /usr/lib/gconv-modules.cache", false));
    }
}
