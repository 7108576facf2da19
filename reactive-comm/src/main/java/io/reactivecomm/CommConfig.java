package io.reactivecomm;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a process stands in its world and how it joins it. Immutable; each {@code withX} returns a changed copy.
 *
 * @param rank this process's place, from 0
 * @param worldSize the number of processes
 * @param host where the rendezvous store listens
 * @param port where the rendezvous store listens, 1 to 65535
 * @param storeHosted whether somebody else, such as the launcher, runs the store; otherwise rank 0 does
 * @param token the secret that admits a process to the world, or null for none; required beyond loopback
 * @param timeout the default deadline of a call, counted from its subscription
 * @param rendezvousTimeout how long to wait for the other ranks
 * @param transport the {@code LinkTransport} to use
 * @param plaintext whether the user accepts unencrypted links beyond loopback
 * @param callSites whether calls carry a hash of the place that assembled them, so that programs which drifted apart by one call are told
 */
public record CommConfig(
        int rank,
        int worldSize,
        String host,
        int port,
        boolean storeHosted,
        @Nullable String token,
        Duration timeout,
        Duration rendezvousTimeout,
        String transport,
        boolean plaintext,
        boolean callSites) {

    /** Ten minutes: what DeepSpeed waits, long enough for a checkpoint or a compilation on one rank. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

    /** One minute: a job whose ranks start later than that is better told which ones are missing. */
    public static final Duration DEFAULT_RENDEZVOUS_TIMEOUT = Duration.ofSeconds(60);

    /** The port that torch.distributed and DeepSpeed use by default. */
    public static final int DEFAULT_PORT = 29500;

    public CommConfig {
        if (worldSize < 1) {
            throw bad("world size is not positive: WORLD_SIZE=" + worldSize + "; start at least one rank");
        }
        if (rank < 0 || rank >= worldSize) {
            throw bad("rank is outside the world: RANK=" + rank + ", WORLD_SIZE=" + worldSize + "; ranks go from 0 to " + (worldSize - 1));
        }
        if (port < 1 || port > 65535) {
            throw bad("port is out of range: MASTER_PORT=" + port + "; choose one from 1 to 65535");
        }
        requirePositive("RCOMM_TIMEOUT_SECONDS", timeout);
        requirePositive("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", rendezvousTimeout);
    }

    /** {@return a configuration with the defaults, for a store at that address run by rank 0} */
    public static CommConfig of(int rank, int worldSize, String host, int port) {
        return new CommConfig(
                rank, worldSize, host, port, false, null, DEFAULT_TIMEOUT, DEFAULT_RENDEZVOUS_TIMEOUT, "tcp", false, false);
    }

    /**
     * {@return a configuration for a rendezvous address in torch.distributed's form}
     *
     * @param initMethod {@code tcp://host:port}
     * @throws RendezvousException if it is of another form
     */
    public static CommConfig of(String initMethod, int rank, int worldSize) {
        URI address = parse(initMethod);
        if (!"tcp".equals(address.getScheme()) || address.getHost() == null || address.getPort() < 0) {
            throw bad("cannot read the rendezvous address: initMethod=" + initMethod + "; write tcp://host:port, or use the environment");
        }
        return of(rank, worldSize, address.getHost(), address.getPort());
    }

    private static URI parse(String initMethod) {
        try {
            return URI.create(initMethod);
        } catch (IllegalArgumentException e) {
            throw new RendezvousException("cannot read the rendezvous address: initMethod=" + initMethod + "; write tcp://host:port", e);
        }
    }

    /**
     * {@return the configuration that environment variables name, as torch.distributed's {@code env://} does}
     *
     * <p>RANK and WORLD_SIZE are required. MASTER_ADDR (127.0.0.1), MASTER_PORT (29500), RCOMM_TOKEN, RCOMM_TIMEOUT_SECONDS,
     * RCOMM_RENDEZVOUS_TIMEOUT_SECONDS, RCOMM_TRANSPORT, RCOMM_STORE_HOSTED, RCOMM_PLAINTEXT and RCOMM_CALL_SITES are optional.
     *
     * @throws RendezvousException if one is missing or cannot be read
     */
    public static CommConfig fromEnvironment(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        CommConfig base = of(
                variables.required("RANK"),
                variables.required("WORLD_SIZE"),
                variables.text("MASTER_ADDR", "127.0.0.1"),
                variables.number("MASTER_PORT", DEFAULT_PORT));
        return new CommConfig(
                base.rank,
                base.worldSize,
                base.host,
                base.port,
                variables.flag("RCOMM_STORE_HOSTED"),
                environment.get("RCOMM_TOKEN"),
                variables.seconds("RCOMM_TIMEOUT_SECONDS", DEFAULT_TIMEOUT),
                variables.seconds("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", DEFAULT_RENDEZVOUS_TIMEOUT),
                variables.text("RCOMM_TRANSPORT", base.transport),
                variables.flag("RCOMM_PLAINTEXT"),
                variables.flag("RCOMM_CALL_SITES"));
    }

    /** {@return the default deadline of a call: RCOMM_TIMEOUT_SECONDS, or ten minutes} */
    public static Duration defaultTimeout(Map<String, String> environment) {
        Duration timeout = new Variables(environment).seconds("RCOMM_TIMEOUT_SECONDS", DEFAULT_TIMEOUT);
        requirePositive("RCOMM_TIMEOUT_SECONDS", timeout);
        return timeout;
    }

    /** {@return a copy for a store that somebody else runs, or that rank 0 runs} */
    public CommConfig withStoreHosted(boolean storeHosted) {
        return new CommConfig(
                rank, worldSize, host, port, storeHosted, token, timeout, rendezvousTimeout, transport, plaintext, callSites);
    }

    /** {@return a copy with that token} */
    public CommConfig withToken(@Nullable String token) {
        return new CommConfig(
                rank, worldSize, host, port, storeHosted, token, timeout, rendezvousTimeout, transport, plaintext, callSites);
    }

    /** {@return a copy with that default deadline for calls} */
    public CommConfig withTimeout(Duration timeout) {
        return new CommConfig(
                rank, worldSize, host, port, storeHosted, token, timeout, rendezvousTimeout, transport, plaintext, callSites);
    }

    /** {@return a copy that waits so long for the other ranks} */
    public CommConfig withRendezvousTimeout(Duration rendezvousTimeout) {
        return new CommConfig(
                rank, worldSize, host, port, storeHosted, token, timeout, rendezvousTimeout, transport, plaintext, callSites);
    }

    /** {@return a copy that accepts unencrypted links beyond loopback, or refuses them} */
    public CommConfig withPlaintext(boolean plaintext) {
        return new CommConfig(
                rank, worldSize, host, port, storeHosted, token, timeout, rendezvousTimeout, transport, plaintext, callSites);
    }

    /** {@return a copy whose calls carry their call site, or not} */
    public CommConfig withCallSites(boolean callSites) {
        return new CommConfig(
                rank, worldSize, host, port, storeHosted, token, timeout, rendezvousTimeout, transport, plaintext, callSites);
    }

    /** Hides the token. */
    @Override
    public String toString() {
        return "CommConfig[rank=" + rank + ", worldSize=" + worldSize + ", store=" + host + ":" + port + ", storeHosted=" + storeHosted
                + ", token=" + (token == null ? "none" : "set") + ", timeout=" + timeout + ", transport=" + transport + "]";
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw bad("a timeout is not positive: " + name + "=" + duration + "; give a positive number of seconds");
        }
    }

    private static RendezvousException bad(String message) {
        return new RendezvousException(message);
    }

    /** Reads typed values, with an error that names the variable. */
    private record Variables(Map<String, String> environment) {

        int required(String name) {
            if (!environment.containsKey(name)) {
                throw bad("an environment variable is missing: " + name + "; start the program with `rcomm run -n N -- COMMAND`, torchrun or"
                        + " mpirun, or set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT");
            }
            return number(name, 0);
        }

        int number(String name, int fallback) {
            String text = environment.get(name);
            try {
                return text == null ? fallback : Integer.parseInt(text.trim());
            } catch (NumberFormatException e) {
                throw new RendezvousException("an environment variable is not a number: " + name + "=" + text + "; give a whole number", e);
            }
        }

        String text(String name, String fallback) {
            return environment.getOrDefault(name, fallback);
        }

        boolean flag(String name) {
            String text = text(name, "0");
            return "1".equals(text) || "true".equalsIgnoreCase(text);
        }

        Duration seconds(String name, Duration fallback) {
            return environment.containsKey(name) ? Duration.ofSeconds(number(name, 0)) : fallback;
        }
    }
}
