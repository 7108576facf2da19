package io.reactivecomm.mpi;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.RankMemory;
import io.reactivecomm.spi.engine.RankMemoryProvider;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The use of CUDA devices by a rank's MPI engine: their memory, and whether MPI receives device addresses.
 *
 * <p>An MPI library states through an extension whether it accepts device addresses. The engine makes no probe, because a false claim ends the process at the
 * first address. {@link #VARIABLE} overrides the claim.
 *
 * @param memory the memory of the devices; null if the engine serves none
 * @param isNamed whether the choice of engines names this engine for these devices, so that the device must be there
 * @param isOff whether the variable keeps device addresses from MPI
 */
record CudaSetting(@Nullable RankMemory memory, boolean isNamed, boolean isOff) {

    /** The variable that keeps addresses of devices from MPI: {@code off}, or {@code auto}. */
    static final String VARIABLE = "RCOMM_MPI_CUDA";

    private static final Logger LOG = LoggerFactory.getLogger(CudaSetting.class);

    private static final String KIND = "cuda";

    /**
     * {@return the setting of a rank} The memory is looked up only if the choice of engines gives these devices to this engine.
     *
     * @param engine the engine's name in the choice of engines
     * @throws InvalidCallException if the variable has another value
     * @throws UnsupportedCollectiveException if the choice names the devices and no module on the class path provides their memory
     */
    static CudaSetting of(EngineContext context, String engine, Map<String, String> environment) {
        boolean isOff = isOff(environment.getOrDefault(VARIABLE, "").strip().toLowerCase(Locale.ROOT));
        String choice = context.config().choices().backend();
        List<String> entries =
                Arrays.stream(choice.split(",")).map(String::strip).toList();
        boolean isNamed = entries.contains(KIND + ":" + engine);
        boolean isLeft = entries.contains(engine) && entries.stream().noneMatch(each -> each.startsWith(KIND + ":"));
        RankMemoryProvider provider = isNamed || isLeft ? RankMemoryProvider.of(KIND) : null;
        if (provider == null && isNamed) {
            throw new UnsupportedCollectiveException(
                    "no module on the class path provides the memory of CUDA devices: backend="
                            + choice + RankMemoryProvider.leftOut()
                            + "; add the module reactive-comm-nccl, or choose the engine for the host alone: cpu:"
                            + engine);
        }
        return new CudaSetting(provider == null ? null : provider.open(context), isNamed, isOff);
    }

    static boolean isOff(String value) {
        return switch (value) {
            case "off" -> true;
            case "", "auto" -> false;
            default ->
                throw new InvalidCallException("cannot read a setting: " + VARIABLE + "=" + value
                        + "; give off, or auto, which is the default: MPI"
                        + " receives device addresses if its library says that it accepts them");
        };
    }

    /** Opens the device if it must be there. Blocks; MPI has begun. {@return whether MPI may receive device addresses on this rank} */
    boolean open(MpiLibrary library, MpiSetup setup) {
        if (memory == null) {
            return false;
        }
        if (isNamed) {
            memory.openDevice();
        }
        boolean isClaimed = setup.claimsCuda();
        LOG.info(
                "MPI and tensors of CUDA devices: library={}, {}={}, {}={}, way={}",
                library.name(),
                MpiSetup.QUERY_CUDA,
                isClaimed ? 1 : "0 or absent",
                VARIABLE,
                isOff ? "off" : "auto",
                way(isClaimed));
        return isClaimed && !isOff;
    }

    private String way(boolean isClaimed) {
        if (!isClaimed) {
            return "staged in the host's memory";
        }
        return isOff
                ? "staged in the host's memory"
                : "device addresses if the libraries of all ranks accept them; this is not probed, because a false claim ends the process at the first address: "
                        + VARIABLE + "=off stages the tensors";
    }

    /** {@return the devices} @param areAddressesTaken whether MPI accepts device addresses on all ranks */
    Devices devices(boolean areAddressesTaken) {
        return memory == null ? Devices.NONE : new Devices(memory, areAddressesTaken);
    }

    /** Frees the memory if the engine could not be opened. */
    void close() {
        if (memory != null) {
            memory.close();
        }
    }
}
