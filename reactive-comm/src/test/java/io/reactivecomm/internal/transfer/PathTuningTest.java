package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.Link;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PathTuningTest {

    private static final EngineLimits LIMITS = EngineLimits.DEFAULT;

    /** {@return a link that says that of itself, and nothing else} */
    private static Link link(int windowBytes, int bulkBytes, boolean sharesMemory) {
        Map<String, Object> hints = Map.of("windowBytes", windowBytes, "bulkBytes", bulkBytes, "sharesMemory", sharesMemory);
        return (Link) Proxy.newProxyInstance(
                Link.class.getClassLoader(), new Class<?>[] {Link.class}, (proxy, method, arguments) -> hints.get(method.getName()));
    }

    @Test
    void link_thatWishesForNothing_hasWhatTheLimitsAllow() {
        PathTuning tuning = PathTuning.of(link(Integer.MAX_VALUE, 0, false), LIMITS, false);

        assertThat(tuning).isEqualTo(new PathTuning(
                LIMITS.pieceBytes(), LIMITS.pieceBytes(), LIMITS.windowBytes(), LIMITS.eagerBytes(), LIMITS.eagerBytes(), LIMITS.foldDepth(), 2));
        assertThat(tuning.movesInBulk()).isFalse();
    }

    @Test
    void hints_areTakenWithinTheLimits() {
        PathTuning little = PathTuning.of(link(1, Integer.MAX_VALUE, false), LIMITS, false);

        assertThat(little.windowBytes()).isEqualTo(LIMITS.pieceBytes());
        assertThat(little.bulkBytes()).isEqualTo(LIMITS.bulkBytes());
        assertThat(little.movesInBulk()).isTrue();
        assertThat(little.windowBytes(Window.BULK)).isEqualTo(2L * LIMITS.bulkBytes());
        assertThat(little.windowBytes(Window.AHEAD)).isEqualTo(LIMITS.pieceBytes());
    }

    @Test
    void linkThatLends_hasMoreUnderWay_andNotMoreInBulk() {
        Link shared = link(LIMITS.windowBytes(), 0, true);
        PathTuning copied = PathTuning.of(shared, LIMITS, false);
        PathTuning lent = PathTuning.of(shared, LIMITS, true);

        assertThat(lent.windowBytes()).isEqualTo(16 * copied.windowBytes());
        assertThat(lent.foldDepth()).isEqualTo(16 * copied.foldDepth());
        assertThat(lent.ahead()).isEqualTo(32);
        assertThat(lent.bulkBytes()).isEqualTo(copied.bulkBytes());
        assertThat(lent.eagerBytes()).isEqualTo(LIMITS.eagerBytes());
        assertThat(lent.copiedBytes()).isEqualTo(8 << 10);
    }
}
