package io.reactivecomm.sequence;

import java.util.LinkedHashMap;
import java.util.Map;

/** The ends of calls and groups that somebody may still speak of. The oldest are forgotten. */
final class Remembered<K, V> extends LinkedHashMap<K, V> {

    private static final long serialVersionUID = 1L;

    /** As many as the engine over links remembers: far more than can be under way between two ranks that make progress. */
    private static final int MOST = 1024;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MOST;
    }
}
