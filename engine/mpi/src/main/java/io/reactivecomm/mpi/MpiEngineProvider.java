package io.reactivecomm.mpi;

import io.reactivecomm.CommConfig;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.device.Device;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** Opens the engine by its name, {@code mpi}, for tensors of the host and, with the module that has CUDA's memory, of CUDA's devices: {@code RCOMM_BACKEND=mpi}. */
public final class MpiEngineProvider implements EngineProvider {

    private static final String CUDA = "cuda";

    /** For {@link java.util.ServiceLoader}. */
    public MpiEngineProvider() {}

    @Override
    public String name() {
        return "mpi";
    }

    @Override
    public Set<String> devices() {
        return Set.of(Device.CPU.kind(), CUDA);
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return Mono.defer(() -> {
            Map<String, String> settings = CommConfig.settings(System.getenv());
            return open(context, MpiProcess.get(settings), CallLimits.USUAL, CudaSetting.of(context, name(), settings));
        });
    }

    /** A rank as MPI has it. */
    private record Seat(int rank, int size, String dialect, boolean areAddressesTaken) {}

    /** Opens the engine on the MPI of a process. */
    Mono<CollectiveEngine> open(EngineContext context, MpiProcess process, CallLimits limits, CudaSetting cuda) {
        process.take();
        return Mono.fromFuture(process::begin, true)
                .flatMap(place -> Mono.fromFuture(() -> process.call(() -> seat(place, process, cuda)), true))
                .flatMap(seat -> context.agree(seat, Seat.class))
                .flatMap(seats -> {
                    List<Integer> processes = processes(seats);
                    Devices devices = cuda.devices(seats.stream().allMatch(Seat::areAddressesTaken));
                    return Mono.fromFuture(() -> process.call(() -> process.open(processes, 0)), true)
                            .map(comms -> new MpiEngine(process, context, processes, comms, limits, devices));
                })
                .<CollectiveEngine>map(engine -> SequencedEngine.of(name(), context.control(), engine))
                .doOnError(error -> giveBack(process, cuda))
                .doOnCancel(() -> giveBack(process, cuda));
    }

    private static Seat seat(MpiProcess.Place place, MpiProcess process, CudaSetting cuda) {
        return new Seat(
                place.rank(),
                place.size(),
                process.library().dialect().label(),
                cuda.open(process.library(), process.setup()));
    }

    private static void giveBack(MpiProcess process, CudaSetting cuda) {
        process.giveBack();
        cuda.close();
    }

    /** {@return the ranks of the world, as MPI counts them} All ranks see the same, and so the same fault. */
    private static List<Integer> processes(List<Seat> seats) {
        Seat first = seats.getFirst();
        for (int rank = 0; rank < seats.size(); rank++) {
            Seat seat = seats.get(rank);
            if (seat.size() != seats.size()) {
                throw new UnsupportedCollectiveException("MPI has another size than the world: MPI=" + seat.size()
                        + ", worldSize=" + seats.size() + ", rank=" + rank + "; start all ranks with one mpirun -np "
                        + seats.size() + ", each a process of its own");
            }
            if (!seat.dialect().equals(first.dialect())) {
                throw new UnsupportedCollectiveException(
                        "ranks have different implementations of MPI: rank 0 " + first.dialect() + ", rank " + rank
                                + " " + seat.dialect() + "; name one library for all by " + MpiLibrary.VARIABLE);
            }
        }
        List<Integer> processes = seats.stream().map(Seat::rank).toList();
        if (processes.stream().distinct().count() < seats.size()) {
            throw new UnsupportedCollectiveException("ranks share a process of MPI: ranks of MPI by rank of the world="
                    + processes + "; start a process for each rank with mpirun -np " + seats.size());
        }
        return IntStream.range(0, seats.size()).mapToObj(processes::get).toList();
    }
}
