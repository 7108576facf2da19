package io.reactivecomm.timeline;

import io.reactivecomm.CommException;
import io.reactivecomm.ObserverProvider;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.observe.CommObserver;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The maker of the timeline that RCOMM_TIMELINE asks for. */
public final class TimelineProvider implements ObserverProvider {

    private static final String VARIABLE = "RCOMM_TIMELINE";

    @Override
    public String variable() {
        return VARIABLE;
    }

    @Override
    public Optional<CommObserver> observer(Map<String, String> environment) {
        String file = environment.getOrDefault(VARIABLE, "").strip();
        if (file.isEmpty()) {
            return Optional.empty();
        }
        try {
            PartFile.requireWritable(Path.of(file));
            int rank = Integer.parseInt(environment.getOrDefault("RANK", "0").strip());
            return Optional.of(Timeline.to(Timeline.partOf(Path.of(file), rank)));
        } catch (TimelineException | InvalidPathException e) {
            throw new RendezvousException(
                    "an environment variable names no file: " + VARIABLE + "=" + file + ", cause="
                            + CommException.textOf(e),
                    e);
        }
    }
}
