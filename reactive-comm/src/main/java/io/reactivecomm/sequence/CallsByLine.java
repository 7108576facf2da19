package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a group, in the order in which they came, of which messages are found by receiver, name and tag, too: so a receive from any need not look at all
 * that wait.
 */
final class CallsByLine<V> {

    private final Map<CallKey, V> all = new LinkedHashMap<>();
    private final Map<CallKey.Message, Map<CallKey.Message, V>> lines = new HashMap<>();

    @Nullable V get(CallKey key) {
        return all.get(key);
    }

    boolean contains(CallKey key) {
        return all.containsKey(key);
    }

    void put(CallKey key, V call) {
        all.put(key, call);
        if (key instanceof CallKey.Message message && message.source() >= 0) {
            lines.computeIfAbsent(LeaderMessages.line(message), ignored -> new LinkedHashMap<>())
                    .put(message, call);
        }
    }

    @Nullable V remove(CallKey key) {
        if (key instanceof CallKey.Message message && message.source() >= 0) {
            lines.computeIfPresent(LeaderMessages.line(message), (ignored, line) -> without(line, message));
        }
        return all.remove(key);
    }

    private static <V> @Nullable Map<CallKey.Message, V> without(
            Map<CallKey.Message, V> line, CallKey.Message message) {
        line.remove(message);
        return line.isEmpty() ? null : line;
    }

    void removeIf(Predicate<Map.Entry<CallKey, V>> which) {
        all.entrySet().stream().filter(which).map(Map.Entry::getKey).toList().forEach(this::remove);
    }

    /** {@return the messages from known sources that a receive from any might find} */
    Map<CallKey.Message, V> inLineOf(CallKey.Message any) {
        return lines.getOrDefault(LeaderMessages.line(any), Map.of());
    }

    Collection<V> values() {
        return List.copyOf(all.values());
    }

    int size() {
        return all.size();
    }

    void clear() {
        all.clear();
        lines.clear();
    }
}
