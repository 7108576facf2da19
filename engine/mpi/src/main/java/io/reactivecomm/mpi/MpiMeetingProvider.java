package io.reactivecomm.mpi;

import io.reactivecomm.Meeting;
import io.reactivecomm.spi.rendezvous.MeetingProvider;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** MPI's all-gather as the means by which ranks find each other: under mpirun they need no address, no port and no token. */
public final class MpiMeetingProvider implements MeetingProvider {

    /** For {@link java.util.ServiceLoader}. */
    public MpiMeetingProvider() {}

    @Override
    public String engine() {
        return "mpi";
    }

    @Override
    public Optional<Mono<Meeting>> offer(Map<String, String> environment) {
        return isStartedByMpi(environment)
                ? Optional.of(Mono.defer(() -> of(MpiProcess.get(environment))))
                : Optional.empty();
    }

    /** A process that no launcher of MPI has started is a world of one to MPI, whatever it is one of. */
    private static boolean isStartedByMpi(Map<String, String> environment) {
        return Stream.of("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK").anyMatch(environment::containsKey);
    }

    /** {@return that of a process; MPI begins now} */
    static Mono<Meeting> of(MpiProcess process) {
        return Mono.fromFuture(process::begin, true).map(place -> new MpiMeeting(process, place));
    }
}
