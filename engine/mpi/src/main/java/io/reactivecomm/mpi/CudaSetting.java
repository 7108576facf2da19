package io.reactivecomm.mpi;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.spi.EngineContext;
import io.reactivecomm.spi.RankMemory;
import io.reactivecomm.spi.RankMemoryProvider;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part that CUDA's devices have in a rank's engine: their memory, and whether MPI is given its addresses.
 *
 * <p>Whether a library takes them it says itself, by an extension. That is not tried out: one that says so and does not ends the process at the first address. So a
 * variable overrides it.
 *
 * @param memory of the devices; null if there is none
 * @param isNamed whether the engine is chosen for such devices by their kind, so that they must be there
 * @param isOff whether MPI is not to be given addresses whatever it says
 */
record CudaSetting(@Nullable RankMemory memory, boolean isNamed, boolean isOff) {

    /** The variable that keeps addresses of devices from MPI: {@code off}, or {@code auto}. */
    static final String VARIABLE = "RCOMM_MPI_CUDA";

    private static final Logger LOG = LoggerFactory.getLogger(CudaSetting.class);

    private static final String KIND = "cuda";

    /**
     * {@return that of a rank}
     *
     * @param engine its name, in the choice of engines
     * @throws InvalidCallException if the variable cannot be read
     * @throws UnsupportedCollectiveException if the devices are chosen, and nothing on the class path has their memory
     */
    static CudaSetting of(EngineContext context, String engine, Map<String, String> environment) {
        boolean isOff = isOff(environment.getOrDefault(VARIABLE, "").strip().toLowerCase(Locale.ROOT));
        String choice = context.config().choices().backend();
        boolean isNamed = Arrays.stream(choice.split(",")).map(String::strip).anyMatch((KIND + ":" + engine)::equals);
        RankMemoryProvider provider = RankMemoryProvider.of(KIND);
        if (provider == null && isNamed) {
            throw new UnsupportedCollectiveException(
                    "nothing on the class path has the memory of CUDA's devices: backend=" + choice
                            + "; add the module reactive-comm-nccl, or choose the engine for the host alone: cpu:"
                            + engine);
        }
        boolean isAsked = provider != null
                && (isNamed
                        || Arrays.stream(choice.split(",")).map(String::strip).anyMatch(engine::equals));
        return new CudaSetting(provider != null && isAsked ? provider.open(context) : null, isNamed, isOff);
    }

    static boolean isOff(String value) {
        return switch (value) {
            case "off" -> true;
            case "", "auto" -> false;
            default ->
                throw new InvalidCallException("cannot read a setting: " + VARIABLE + "=" + value
                        + "; give off, or auto, which is the default: MPI is given"
                        + " addresses of devices where its library says that it takes them");
        };
    }

    /** Opens the device if it must be there, and {@return whether MPI is given its addresses, as far as this rank goes} Blocks. MPI has begun. */
    boolean open(MpiLibrary library, MpiSetup setup) {
        if (memory == null) {
            return false;
        }
        if (isNamed) {
            memory.openDevice();
        }
        boolean isClaimed = setup.claimsCuda();
        LOG.info(
                "MPI and tensors of CUDA's devices: library={}, {}={}, {}={}, way={}",
                library.name(),
                MpiSetup.QUERY_CUDA,
                isClaimed ? 1 : "0 or not there",
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
                : "addresses of devices if all ranks' libraries take them; that is not tried out, as a false claim ends the process at the first address: "
                        + VARIABLE + "=off stages them";
    }

    /** {@return the devices} @param areAddressesTaken whether MPI is given addresses on all ranks */
    Devices devices(boolean areAddressesTaken) {
        return memory == null ? Devices.NONE : new Devices(memory, areAddressesTaken);
    }

    /** There comes no engine. */
    void close() {
        if (memory != null) {
            memory.close();
        }
    }
}
