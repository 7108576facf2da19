package io.reactivecomm.samples.programs.device;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.nccl.NcclEngineProvider;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.samples.programs.world.RankDevices;
import io.reactivecomm.samples.programs.world.Transport;
import io.reactivecomm.samples.programs.world.WorldOptions;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The option by which a sample's tensors are on GPUs, for every command that mixes it in. */
public final class DeviceOption {

    private static final String BACKEND = "cpu:links,cuda:nccl";

    @Option(
            names = "--device",
            paramLabel = "NAME",
            defaultValue = "cpu",
            description =
                    "Where gradients are reduced: cpu, or cuda for a GPU for each rank, by NCCL. Where there is no GPU doubles of CUDA"
                            + " and NCCL stand in, which gcc compiles: they show that it works, and nothing of speed (default: ${DEFAULT-VALUE}).")
    private DeviceKind kind = DeviceKind.CPU;

    /** {@return what was chosen} */
    public DeviceKind kind() {
        return kind;
    }

    /**
     * {@return the devices of the ranks, found in this process}
     *
     * @throws IllegalArgumentException if there are none, or not so that these ranks could use them
     */
    public RankDevices devices(Transport transport, WorldOptions world) {
        return switch (kind) {
            case CPU -> RankDevices.HOST;
            case CUDA -> ofGpus(transport, world, System.getenv());
        };
    }

    private static RankDevices ofGpus(Transport transport, WorldOptions world, Map<String, String> environment) {
        if (transport == Transport.MPI) {
            throw new IllegalArgumentException(
                    "tensors of GPUs go by NCCL, and what is beside them by links: device=cuda, transport=mpi;"
                            + " choose tcp or shm");
        }
        Gpus gpus = Gpus.ofProcess();
        boolean isOneProcess = transport == Transport.LOCAL && !world.joins();
        if (isOneProcess && world.ranks() > gpus.count()) {
            throw new IllegalArgumentException(
                    "ranks of one process need a GPU each: ranks=" + world.ranks() + ", gpus=" + gpus.count()
                            + ", transport=local; choose tcp or shm, whose ranks may share one, or fewer ranks");
        }
        return new RankDevices(
                gpus.description(),
                config -> config.withBackend(BACKEND),
                rank -> gpus.variables(rank, world.ranks(), environment),
                isOneProcess ? group -> gpu(group.rank()) : ofProcess(environment));
    }

    /** {@return the device of a process, found as the engine finds it} */
    private static Function<ProcessGroup, Device> ofProcess(Map<String, String> environment) {
        return group ->
                gpu(Stream.of(NcclEngineProvider.DEVICE, "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")
                        .map(environment::get)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .map(Integer::parseInt)
                        .orElseGet(group::rank));
    }

    private static Device gpu(int index) {
        return new Device(CudaMemory.KIND, index);
    }
}
