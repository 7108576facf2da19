package io.reactivecomm;

import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.observe.CommObserver;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a {@link CommConfig} from environment variables: {@link CommConfig#fromEnvironment}, and {@code env://} as in torch.distributed. */
final class EnvironmentConfig {

    /** Stands for the environment's own rank or world size. */
    private static final int FROM_ENVIRONMENT = -1;

    /** Where rank 0 listens if the others are told so by an all-gather. */
    private static final String LISTEN = "RCOMM_LISTEN";

    /** The port of the store where MASTER_PORT belongs to the program, as to torch.distributed's store in the same process. */
    private static final String STORE_PORT = "RCOMM_MASTER_PORT";

    /** Configures the log of calls, which is a module of its own. */
    private static final String COMMS_LOG = "RCOMM_COMMS_LOG";

    private EnvironmentConfig() {}

    /** {@return what the environment says, but with that place in the world unless it is &minus;1} */
    static CommConfig of(int rank, int worldSize, Map<String, String> environment) {
        Map<String, String> place = new HashMap<>(environment);
        if (rank != FROM_ENVIRONMENT) {
            place.put("RANK", Integer.toString(rank));
        }
        if (worldSize != FROM_ENVIRONMENT) {
            place.put("WORLD_SIZE", Integer.toString(worldSize));
        }
        return of(place);
    }

    /** {@return what the environment says, for ranks that meet by an all-gather, which gives what it leaves out} */
    static CommConfig of(Map<String, String> environment, Meeting meeting) {
        return ConfigFile.with(environment, settings -> meeting(settings, meeting));
    }

    private static CommConfig meeting(Map<String, String> environment, Meeting meeting) {
        Map<String, String> place = new HashMap<>(environment);
        place.keySet().removeAll(List.of("MASTER_ADDR", "MASTER_PORT", STORE_PORT));
        place.putIfAbsent("RANK", Integer.toString(meeting.rank()));
        place.putIfAbsent("WORLD_SIZE", Integer.toString(meeting.size()));
        return of(place).withMeeting(meeting).withListener(environment.getOrDefault(LISTEN, StoreAddress.CHOSEN), 0);
    }

    static CommConfig of(Map<String, String> environment) {
        return ConfigFile.with(environment, EnvironmentConfig::read);
    }

    private static CommConfig read(Map<String, String> environment) {
        KnownVariables.check(environment);
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        requireKnown(variables.text(TensorLeaks.VARIABLE, ""));
        int rank = variables.required("RANK");
        int worldSize = variables.required("WORLD_SIZE");
        return new CommConfig(
                rank,
                worldSize,
                HostPlace.fromEnvironment(environment),
                store(variables),
                admission(variables),
                Timeouts.fromEnvironment(environment),
                variables.text("RCOMM_TRANSPORT", CommConfig.DEFAULT_TRANSPORT),
                Choices.fromEnvironment(environment),
                variables.flag("RCOMM_CALL_SITES"),
                Tuning.fromEnvironment(environment),
                variables.bytes("RCOMM_OBJECT_BYTES", CommConfig.DEFAULT_OBJECT_BYTES),
                observers(environment),
                dumps(variables));
    }

    private static @Nullable Path dumps(EnvironmentVariables variables) {
        String folder = variables.text("RCOMM_DUMP", "");
        try {
            return folder.isEmpty() ? null : Path.of(folder);
        } catch (InvalidPathException e) {
            throw new RendezvousException(
                    "an environment variable is no path: RCOMM_DUMP=" + folder + "; give the folder for dumps", e);
        }
    }

    /** {@return those that the environment asks for, each made anew} */
    private static List<CommObserver> observers(Map<String, String> environment) {
        Providers<ObserverProvider> providers = Providers.of(ObserverProvider.class);
        requireModules(environment, providers);
        return providers.loaded().stream()
                .map(provider -> provider.observer(environment))
                .flatMap(Optional::stream)
                .toList();
    }

    private static void requireModules(Map<String, String> environment, Providers<ObserverProvider> providers) {
        String value = environment.getOrDefault(COMMS_LOG, "").strip();
        boolean isSet = !value.isEmpty() && !value.equals("off");
        if (isSet
                && providers.loaded().stream().noneMatch(each -> each.variable().equals(COMMS_LOG))) {
            throw new RendezvousException("an environment variable asks for a module that is not on the class path: "
                    + COMMS_LOG + "=" + value + providers.failuresText()
                    + "; add reactive-comm-timing to the class path");
        }
    }

    /** The level is the JVM's, and in force already: a name that nobody knows is an error here, where settings are read. */
    private static void requireKnown(String leaks) {
        TensorLeaks.Level.parse(leaks);
    }

    private static StoreAddress store(EnvironmentVariables variables) {
        return new StoreAddress(
                variables.text("MASTER_ADDR", StoreAddress.LOOPBACK),
                variables.port(
                        variables.environment().containsKey(STORE_PORT) ? STORE_PORT : "MASTER_PORT",
                        CommConfig.DEFAULT_PORT),
                variables.flag("RCOMM_STORE_HOSTED"));
    }

    private static Admission admission(EnvironmentVariables variables) {
        return new Admission(
                variables.environment().get("RCOMM_TOKEN"),
                Admission.Encryption.of(variables),
                variables.flag("RCOMM_TOKEN_FILE", true));
    }
}
