package io.reactivecomm.mpi;

import io.reactivecomm.CommConfig;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineContext;
import io.reactivecomm.spi.EngineProvider;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** Opens the engine by its name, {@code mpi}, for tensors of the host: {@code RCOMM_BACKEND=mpi}. */
public final class MpiEngineProvider implements EngineProvider {

    /** MPI counts elements by an int. */
    private static final int LIMIT = Integer.MAX_VALUE;

    /** For {@link java.util.ServiceLoader}. */
    public MpiEngineProvider() {}

    @Override
    public String name() {
        return "mpi";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return Mono.defer(() -> open(context, MpiProcess.get(CommConfig.settings(System.getenv())), LIMIT));
    }

    /** A rank as MPI has it. */
    private record Seat(int rank, int size, String dialect) {}

    /** Opens the engine on the MPI of a process. */
    Mono<CollectiveEngine> open(EngineContext context, MpiProcess process, int limit) {
        process.take();
        int rank = context.control().rank();
        return Mono.fromFuture(process::begin, true)
                .flatMap(place -> context.agree(new Seat(place.rank(), place.size(), process.library().dialect().label()), Seat.class))
                .flatMap(seats -> {
                    List<Integer> processes = processes(seats);
                    return Mono.fromFuture(() -> process.call(() -> process.open(processes, 0)), true)
                            .map(comms -> new MpiEngine(process, context.loop(), rank, processes, comms, limit));
                })
                .<CollectiveEngine>map(engine -> SequencedEngine.of(name(), context.control(), engine))
                .doOnError(error -> process.giveBack())
                .doOnCancel(process::giveBack);
    }

    /** {@return the ranks of the world, as MPI counts them} All ranks see the same, and so the same fault. */
    private static List<Integer> processes(List<Seat> seats) {
        Seat first = seats.getFirst();
        for (int rank = 0; rank < seats.size(); rank++) {
            Seat seat = seats.get(rank);
            if (seat.size() != seats.size()) {
                throw new UnsupportedCollectiveException("MPI has another size than the world: MPI=" + seat.size() + ", worldSize=" + seats.size() + ", rank=" + rank
                        + "; start all ranks with one mpirun -np " + seats.size() + ", each a process of its own");
            }
            if (!seat.dialect().equals(first.dialect())) {
                throw new UnsupportedCollectiveException("ranks have different implementations of MPI: rank 0 " + first.dialect() + ", rank " + rank + " "
                        + seat.dialect() + "; name one library for all by " + MpiLibrary.VARIABLE);
            }
        }
        List<Integer> processes = seats.stream().map(Seat::rank).toList();
        if (processes.stream().distinct().count() < seats.size()) {
            throw new UnsupportedCollectiveException("ranks share a process of MPI: ranks of MPI by rank of the world=" + processes
                    + "; start a process for each rank with mpirun -np " + seats.size());
        }
        return IntStream.range(0, seats.size()).mapToObj(processes::get).toList();
    }
}
