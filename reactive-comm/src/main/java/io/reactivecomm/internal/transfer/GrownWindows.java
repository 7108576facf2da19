package io.reactivecomm.internal.transfer;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The windows of peers whose way holds more than usual. They share what {@link EngineLimits#grownWindowBytes} allows them together, each up to an
 * equal part: the more of them there are, the less each holds. Owned by the loop.
 */
public final class GrownWindows {

    private final EngineLimits limits;
    private final Map<Path, Long> wished = new LinkedHashMap<>();

    public GrownWindows(EngineLimits limits) {
        this.limits = limits;
    }

    /** So many bytes under way would keep that way busy. */
    public void wish(Path path, long bytes) {
        int before = wished.size();
        wished.keySet().removeIf(other -> !other.isOpen());
        if (path.isOpen() && path.tuning().canGrow() && bytes > limits.windowBytes()) {
            wished.put(path, bytes);
        } else {
            wished.remove(path);
            path.hold(limits.windowBytes());
        }
        if (wished.size() != before) {
            wished.forEach(this::hold);
        } else if (wished.containsKey(path)) {
            hold(path, bytes);
        }
    }

    private void hold(Path path, long bytes) {
        path.hold(Math.min(bytes, limits.grownWindowBytes(wished.size())));
    }
}
