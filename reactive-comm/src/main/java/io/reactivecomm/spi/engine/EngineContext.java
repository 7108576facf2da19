package io.reactivecomm.spi.engine;

import io.reactivecomm.CommConfig;
import io.reactivecomm.HostPlace;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.Loop;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The place in which an engine is opened: one rank of a world.
 *
 * @param control the world's group over links, for what the engines have to tell each other. Its calls are counted apart from the program's, so names
 *     given to its views begin with the engine's own
 * @param config what the rank was connected with
 * @param hosts the identities of the machines, by rank: equal on two ranks exactly if they share one
 * @param loop the thread that progresses everything of this rank: nothing may hold it longer than 50 µs. What has to be looked at again and again is
 *     looked at there by an {@link EnginePoll}
 */
public record EngineContext(ProcessGroup control, CommConfig config, List<String> hosts, Loop loop) {

    /** {@return the identity of this rank's machine} */
    public String host() {
        return hosts.get(control.rank());
    }

    /**
     * {@return this rank's place among those of its machine, from 0, as {@link ProcessGroup#localRank()} has it: that of the device that it takes, unless
     * another is named}
     */
    public int localRank() {
        int given = config.place().localRank();
        return given != HostPlace.NOT_GIVEN
                ? given
                : (int) hosts.subList(0, control.rank()).stream()
                        .filter(host()::equals)
                        .count();
    }

    /**
     * {@return what each rank says, by rank; collective over the world}
     * So an engine learns what all of them can, as the least of their libraries' versions: whatever it does differently by that, it does alike on all. A class that is missing is an
     * error of the attempt, or who opens the engine would wait for ever.
     */
    public <T> Mono<List<T>> agree(T own, Class<T> type) {
        return Attempt.begin(() -> control.allGatherObject(own, type));
    }
}
