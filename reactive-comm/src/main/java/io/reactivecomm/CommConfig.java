package io.reactivecomm;

import io.reactivecomm.observe.CommObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The place of a process in its world, and its way in. Immutable; each {@code withX} returns a changed copy. Texts are taken without blanks and line
 * ends around them, as they come from files and scripts.
 *
 * @param rank this process's place, from 0
 * @param worldSize the number of processes
 * @param place the process's place on its host, and the host's name, as far as they are given
 * @param store where the ranks meet
 * @param admission what admits a process
 * @param timeouts how long to wait
 * @param transport the {@code LinkTransport} or {@code LinkUpgrade} to use, or {@link #DEFAULT_TRANSPORT}
 * @param choices what must be the same on all ranks
 * @param callSites whether calls carry a hash of the place that assembled them, the first frame outside the library, so that programs which
 *     drifted apart by one call are told; those of hooks and buckets carry where these were made
 * @param tuning how this rank uses its machine and its network
 * @param objectBytes the largest object of a collective of objects, 1 to {@link #MAX_OBJECT_BYTES}
 * @param observers hear of the calls of all the world's groups on this rank, from the beginning
 * @param dumps the folder into which this rank writes a dump of its flight recorder when something fails, or by signal; or null if it does not
 */
public record CommConfig(
        int rank,
        int worldSize,
        HostPlace place,
        StoreAddress store,
        Admission admission,
        Timeouts timeouts,
        String transport,
        Choices choices,
        boolean callSites,
        Tuning tuning,
        long objectBytes,
        List<CommObserver> observers,
        @Nullable Path dumps) {

    /** Ten minutes: what DeepSpeed waits, long enough for a checkpoint or a compilation on one rank. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

    /** One minute: a job whose ranks start later than that is better told which ones are missing. */
    public static final Duration DEFAULT_RENDEZVOUS_TIMEOUT = Duration.ofSeconds(60);

    /** The port that torch.distributed and DeepSpeed use by default. */
    public static final int DEFAULT_PORT = 29500;

    /** 16 MiB: metrics, settings and vocabularies fit, a model sent by mistake does not. */
    public static final long DEFAULT_OBJECT_BYTES = 16L << 20;

    /** 1 GiB: as JSON in a Java array, with room for the array that it grows into. */
    public static final long MAX_OBJECT_BYTES = 1L << 30;

    private static final Timeouts DEFAULT_TIMEOUTS = new Timeouts(DEFAULT_TIMEOUT, DEFAULT_RENDEZVOUS_TIMEOUT);

    /** The best links that the class path has: sockets between hosts, shared memory within one. */
    public static final String DEFAULT_TRANSPORT = "auto";

    public CommConfig {
        Objects.requireNonNull(store, "store");
        Objects.requireNonNull(admission, "admission");
        Objects.requireNonNull(timeouts, "timeouts");
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(choices, "choices");
        Objects.requireNonNull(tuning, "tuning");
        Objects.requireNonNull(observers, "observers");
        if (worldSize < 1) {
            throw bad("world size is not positive: WORLD_SIZE=" + worldSize + "; start at least one rank");
        }
        if (rank < 0 || rank >= worldSize) {
            throw bad("rank is outside the world: RANK=" + rank + ", WORLD_SIZE=" + worldSize + "; ranks go from 0 to "
                    + (worldSize - 1));
        }
        transport = transport.strip();
        requireObjectBytes(objectBytes);
        observers = List.copyOf(observers);
    }

    /** {@return a configuration with the defaults, for a store at that address run by rank 0} */
    public static CommConfig of(int rank, int worldSize, String host, int port) {
        Objects.requireNonNull(host, "host");
        return of(rank, worldSize, new StoreAddress(host, port, false));
    }

    private static CommConfig of(int rank, int worldSize, StoreAddress store) {
        return new CommConfig(
                rank,
                worldSize,
                HostPlace.UNKNOWN,
                store,
                Admission.LOOPBACK_ONLY,
                DEFAULT_TIMEOUTS,
                DEFAULT_TRANSPORT,
                Choices.DEFAULT,
                false,
                Tuning.DEFAULT,
                DEFAULT_OBJECT_BYTES,
                List.of(),
                null);
    }

    /**
     * {@return a configuration for a rendezvous address in torch.distributed's form}
     *
     * <ul>
     *   <li>{@code tcp://host:port}: rank 0 runs the store there.
     *   <li>{@code file:///absolute/path}: rank 0 runs the store on loopback, or where {@link #withListener} or {@link #withInterface} says, and
     *       publishes its address in that file, on a file system that all ranks see. The file must not be there yet, and it is removed once the world
     *       has formed. Unless there is a token, rank 0 makes one up and publishes it too, for whoever may read the file.
     *   <li>{@code env://}: as {@link #fromEnvironment} reads this process's environment, where {@code rank} and {@code worldSize} win
     *       over RANK and WORLD_SIZE unless they are &minus;1.
     * </ul>
     *
     * @throws RendezvousException if it is of another form, or a file's path is relative or goes up
     */
    public static CommConfig of(String initMethod, int rank, int worldSize) {
        Objects.requireNonNull(initMethod, "initMethod");
        return of(initMethod, rank, worldSize, System.getenv());
    }

    static CommConfig of(String initMethod, int rank, int worldSize, Map<String, String> environment) {
        String address = initMethod.strip();
        return address.equals("env://")
                ? EnvironmentConfig.of(rank, worldSize, environment)
                : of(rank, worldSize, StoreAddress.parse(address));
    }

    /**
     * {@return the configuration that environment variables name, as torch.distributed's {@code env://} does}
     *
     * <p>RANK and WORLD_SIZE are required. MASTER_ADDR (127.0.0.1), MASTER_PORT (29500), RCOMM_TOKEN, RCOMM_TOKEN_FILE, RCOMM_TIMEOUT_SECONDS,
     * RCOMM_RENDEZVOUS_TIMEOUT_SECONDS, RCOMM_HEARTBEAT_MILLIS, RCOMM_SILENCE_MILLIS, RCOMM_TRANSPORT, RCOMM_STORE_HOSTED, RCOMM_PLAINTEXT, RCOMM_TLS,
     * RCOMM_CALL_SITES, RCOMM_HOST_ID, LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK, GROUP_WORLD_SIZE, RCOMM_OBJECT_BYTES, RCOMM_COMMS_LOG, RCOMM_TIMELINE, RCOMM_DUMP, and those of {@link Choices#fromEnvironment},
     * {@link Tuning#fromEnvironment} and of each further {@link ObserverProvider} are optional. RCOMM_CONFIG names a {@linkplain #load file} of those that are
     * not set.
     *
     * @throws RendezvousException if one is missing or cannot be read
     */
    public static CommConfig fromEnvironment(Map<String, String> environment) {
        Objects.requireNonNull(environment, "environment");
        return EnvironmentConfig.of(environment);
    }

    /**
     * {@return a configuration for ranks that know no address and find each other by an all-gather; settings are this process's environment's}
     *
     * <p>Rank and world size are the all-gather's: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are of no account. Rank 0 runs the store on loopback if
     * all ranks are on one machine, otherwise at an address of its own by which the others are reached, and on a port that the system picks. Address,
     * port and, unless all ranks are given one, a token go by the all-gather.
     *
     * <p>Another address is RCOMM_LISTEN or {@link #withListener}: a host, an address or a network interface of rank 0's machine. Without it a
     * network that is named ({@link #withInterface}) counts. Beyond loopback each rank needs the token, too, unless the all-gather is confidential.
     *
     * @throws RendezvousException if a setting cannot be read
     */
    public static CommConfig of(Meeting meeting) {
        Objects.requireNonNull(meeting, "meeting");
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.keySet().removeAll(List.of("RANK", "WORLD_SIZE"));
        return fromEnvironment(environment, meeting);
    }

    /**
     * {@return as {@link #of(Meeting)}, with the settings of that environment}
     *
     * <p>RANK and WORLD_SIZE, where they are set, must be the all-gather's: where they are not, to connect fails on all ranks.
     *
     * @throws RendezvousException if a setting cannot be read
     */
    public static CommConfig fromEnvironment(Map<String, String> environment, Meeting meeting) {
        Objects.requireNonNull(environment, "environment");
        Objects.requireNonNull(meeting, "meeting");
        return EnvironmentConfig.of(environment, meeting);
    }

    /**
     * {@return the configuration of this process, with the settings of a file where its environment has none}
     *
     * <pre>{@code
     * {"RCOMM_TRANSPORT": "tcp", "RCOMM_LANES": 4, "RCOMM_CALL_SITES": true}
     * }</pre>
     *
     * <p>The file is a JSON object in UTF-8. Its keys are names of RCOMM_ variables; its values are texts, whole numbers, and true or false for switches. The
     * environment wins, and with it a file that RCOMM_CONFIG names. The place of the process is not in the file: it comes from RANK and WORLD_SIZE, or from the
     * launcher's variables, as in {@link ReactiveComm#connect()}. Settings that no configuration carries, which are RCOMM_LEAKS, RCOMM_LISTEN
     * and those of engines, are an error here. RCOMM_CONFIG, which has the same effect for everything that reads the environment, takes them, too.
     *
     * @throws RendezvousException if the file cannot be read, is not such an object, has an unknown key or one twice, or if a setting is missing or wrong
     */
    public static CommConfig load(Path file) {
        return load(file, System.getenv());
    }

    static CommConfig load(Path file, Map<String, String> environment) {
        Objects.requireNonNull(file, "a configuration got no file: file=null; give a path");
        return ConfigFile.with(environment, file, ReactiveComm.provider()::discover);
    }

    /**
     * {@return that environment with the settings of the file that its RCOMM_CONFIG names, where it has none of its own}
     *
     * <p>For engines, launchers and programs that read variables themselves; the methods of this type that take an environment do so already.
     *
     * @throws RendezvousException if the file cannot be read, is not a JSON object, or has an unknown key or one twice
     */
    public static Map<String, String> settings(Map<String, String> environment) {
        return ConfigFile.settings(Objects.requireNonNull(environment, "environment"));
    }

    private static void requireObjectBytes(long objectBytes) {
        if (objectBytes < 1 || objectBytes > MAX_OBJECT_BYTES) {
            throw bad("the largest object is out of range: RCOMM_OBJECT_BYTES=" + objectBytes + "; choose 1 to "
                    + MAX_OBJECT_BYTES);
        }
    }

    /** {@return the name of the machine, by which ranks tell who shares one, or null for the machine's own} */
    public @Nullable String hostId() {
        return place.hostId();
    }

    /** {@return where the store listens} */
    public String host() {
        return store.host();
    }

    /** {@return where the store listens; 0 if the system is to pick a port, which a file tells} */
    public int port() {
        return store.port();
    }

    /** {@return whether somebody else, such as the launcher, runs the store; otherwise rank 0 does} */
    public boolean storeHosted() {
        return store.hosted();
    }

    /** {@return the file in which rank 0 publishes the store's address, or null if all ranks are given it} */
    public @Nullable Path file() {
        return store.file();
    }

    /** {@return the all-gather by which rank 0 tells the store's address, or null if it does not} */
    public @Nullable Meeting meeting() {
        return store.meeting();
    }

    /** {@return the secret that admits a process to the world, or null for none} */
    public @Nullable String token() {
        return admission.token();
    }

    /** {@return which bytes are encrypted} */
    public Admission.Encryption encryption() {
        return admission.encryption();
    }

    /** {@return whether the user accepts unencrypted links beyond the host} */
    public boolean plaintext() {
        return admission.encryption() == Admission.Encryption.OFF;
    }

    /** {@return the default deadline of a call, counted from its subscription} */
    public Duration timeout() {
        return timeouts.call();
    }

    /** {@return how long to wait for the other ranks} */
    public Duration rendezvousTimeout() {
        return timeouts.rendezvous();
    }

    /** {@return the engines by device, such as {@code cpu:links}} */
    public String backend() {
        return choices.backend();
    }

    /** {@return operations that do nothing, to see what the others cost} */
    public Set<Operation> off() {
        return choices.off();
    }

    /** {@return which algorithm serves which calls, or empty for the library's own choice} */
    public String algorithms() {
        return choices.algorithms();
    }

    /** {@return which bits reductions over links give unless a view of a group asks for others} */
    public Bits bits() {
        return choices.bits();
    }

    /** {@return what must be the same on all ranks, by the names of environment variables: what they compare when they meet} */
    public Map<String, String> agreed() {
        Map<String, String> agreed = new LinkedHashMap<>(choices.texts());
        agreed.put("RCOMM_TRANSPORT", transport);
        agreed.put("RCOMM_LANES", Integer.toString(tuning.lanes()));
        agreed.put("RCOMM_HEARTBEAT_MILLIS", Long.toString(timeouts.heartbeat().toMillis()));
        agreed.put("RCOMM_SILENCE_MILLIS", Long.toString(timeouts.silence().toMillis()));
        return Collections.unmodifiableMap(agreed);
    }

    /** {@return a copy for a store that somebody else runs, or that rank 0 runs} */
    public CommConfig withStoreHosted(boolean storeHosted) {
        return with(store.withHosted(storeHosted), admission, timeouts, choices);
    }

    /**
     * {@return a copy whose store listens there}
     *
     * @param host a name or an address; with an all-gather also the name of a network interface of rank 0's machine, or {@link StoreAddress#CHOSEN}
     * @param port 0, for one that the system picks, is for a file or an all-gather, which tells it
     */
    public CommConfig withListener(String host, int port) {
        Objects.requireNonNull(host, "host");
        return with(store.withListener(host, port), admission, timeouts, choices);
    }

    /**
     * {@return a copy whose ranks are told the store's address by that all-gather, as {@link #of(Meeting)} says}
     *
     * <p>What the configuration had for address is gone; {@link #withListener} comes after this. Its rank and world size must be the all-gather's.
     *
     * @throws RendezvousException if somebody else runs the store
     */
    public CommConfig withMeeting(Meeting meeting) {
        Objects.requireNonNull(meeting, "meeting");
        return with(store.withMeeting(meeting), admission, timeouts, choices);
    }

    /** {@return a copy with that token} */
    public CommConfig withToken(@Nullable String token) {
        return with(store, admission.withToken(token), timeouts, choices);
    }

    /** {@return a copy with that rule of encryption} */
    public CommConfig withEncryption(Admission.Encryption encryption) {
        Objects.requireNonNull(encryption, "encryption");
        return with(store, admission.withEncryption(encryption), timeouts, choices);
    }

    /** {@return a copy that accepts unencrypted links beyond the host, or refuses them} A stricter rule of encryption stays. */
    public CommConfig withPlaintext(boolean plaintext) {
        if (plaintext) {
            return withEncryption(Admission.Encryption.OFF);
        }
        return admission.encryption() == Admission.Encryption.OFF
                ? withEncryption(Admission.Encryption.BETWEEN_HOSTS)
                : this;
    }

    /** {@return a copy whose store on loopback admits by a token in a file of this user if none is given, or admits every local process} */
    public CommConfig withTokenFile(boolean tokenFile) {
        return with(store, admission.withTokenFile(tokenFile), timeouts, choices);
    }

    /** {@return a copy with that default deadline for calls} */
    public CommConfig withTimeout(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        return with(store, admission, timeouts.withCall(timeout), choices);
    }

    /** {@return a copy that waits so long for the other ranks} */
    public CommConfig withRendezvousTimeout(Duration rendezvousTimeout) {
        Objects.requireNonNull(rendezvousTimeout, "rendezvousTimeout");
        return with(store, admission, timeouts.withRendezvous(rendezvousTimeout), choices);
    }

    /**
     * {@return a copy with those heartbeats, which must be the same on all ranks}
     *
     * @param heartbeat the time between two
     * @param silence how long none may come from a rank
     */
    public CommConfig withHeartbeats(Duration heartbeat, Duration silence) {
        return with(store, admission, timeouts.withHeartbeats(heartbeat, silence), choices);
    }

    /** {@return a copy with those engines by device} */
    public CommConfig withBackend(String backend) {
        return with(store, admission, timeouts, new Choices(backend, off(), algorithms(), bits()));
    }

    /**
     * {@return a copy in which those operations do nothing}
     * Their calls succeed at once and leave tensors as they are, in every form, and also inside the program's own composite calls.
     *
     * <p>An operation of the library that is made of several calls counts as the one that it performs, and is off as a whole: gradient buckets, hooks,
     * compressed and sparse all-reduces as an all-reduce, quantised reduce-scatters and all-gathers as those. Then gradients come back as they were
     * handed over, and states stay as they are. The calls that such an operation is made of are never off. Objects, messages, new groups and scopes cannot be off; a scope is if all calls in it are.
     *
     * <p>This is the state at first, which all ranks have alike. {@link CommSwitches} changes it while the world runs.
     */
    public CommConfig withOff(Set<Operation> off) {
        return with(store, admission, timeouts, new Choices(backend(), off, algorithms(), bits()));
    }

    /** {@return a copy with that choice of algorithms} */
    public CommConfig withAlgorithms(String algorithms) {
        return with(store, admission, timeouts, new Choices(backend(), off(), algorithms, bits()));
    }

    /** {@return a copy whose reductions over links give those bits} */
    public CommConfig withBits(Bits bits) {
        return with(store, admission, timeouts, new Choices(backend(), off(), algorithms(), bits));
    }

    /** {@return a copy that joins through that transport: {@code tcp}, {@code shm}, or {@link #DEFAULT_TRANSPORT}} */
    public CommConfig withTransport(String transport) {
        return with(place, transport, callSites, tuning, objectBytes);
    }

    /** {@return a copy whose loop waits like that} */
    public CommConfig withWaiting(Waiting waiting) {
        return with(place, transport, callSites, tuning.withWaiting(waiting), objectBytes);
    }

    /** {@return a copy whose connections within the machine ask for that congestion control, or {@link Tuning#SYSTEM}} */
    public CommConfig withCongestion(String congestion) {
        return with(place, transport, callSites, tuning.withCongestion(congestion), objectBytes);
    }

    /** {@return a copy with so many lanes to each peer, which must be the same on all ranks} */
    public CommConfig withLanes(int lanes) {
        return with(place, transport, callSites, tuning.withLanes(lanes), objectBytes);
    }

    /**
     * {@return a copy whose rank the others reach by that network}
     *
     * <p>The rank listens at its address there, and what it dials comes from that. Of several it takes the one by which it reached the store, else
     * those that other machines reach before those of one link and these before loopback, the store's family before the other, interfaces as the system
     * counts them, and then the lowest. Ranks may be given different texts.
     *
     * @param network the name of an interface, an address, or a network such as {@code 10.1.0.0/16}, as {@link NetworkChoice} reads them
     * @throws RendezvousException if it is none of these
     */
    public CommConfig withInterface(String network) {
        return with(place, transport, callSites, tuning.withNetwork(new NetworkChoice(network)), objectBytes);
    }

    /**
     * {@return a copy on a machine of that name, or of its own name if null: tests emulate several machines so}
     * The process's place on it follows from the ranks that share the name, whatever a launcher's variables say.
     */
    public CommConfig withHostId(@Nullable String hostId) {
        return with(HostPlace.named(hostId), transport, callSites, tuning, objectBytes);
    }

    /** {@return a copy whose calls carry their call site, or not} */
    public CommConfig withCallSites(boolean callSites) {
        return with(place, transport, callSites, tuning, objectBytes);
    }

    /** {@return a copy with that largest object of a collective of objects} */
    public CommConfig withObjectBytes(long objectBytes) {
        return with(place, transport, callSites, tuning, objectBytes);
    }

    /** {@return a copy whose calls that observer hears of, beside those that hear of them already} */
    public CommConfig withObserver(CommObserver observer) {
        Objects.requireNonNull(observer, "a configuration got no observer: observer=null; give one, or leave it out");
        List<CommObserver> more = new ArrayList<>(observers);
        more.add(observer);
        return new CommConfig(
                rank,
                worldSize,
                place,
                store,
                admission,
                timeouts,
                transport,
                choices,
                callSites,
                tuning,
                objectBytes,
                more,
                dumps);
    }

    /**
     * {@return a copy that writes its flight recorder into that folder when a call or a group fails, when a thread of the program dies, and at the signal
     * USR1; or does not, if null}
     */
    public CommConfig withDumps(@Nullable Path folder) {
        return new CommConfig(
                rank,
                worldSize,
                place,
                store,
                admission,
                timeouts,
                transport,
                choices,
                callSites,
                tuning,
                objectBytes,
                observers,
                folder);
    }

    private CommConfig with(StoreAddress store, Admission admission, Timeouts timeouts, Choices choices) {
        return new CommConfig(
                rank,
                worldSize,
                place,
                store,
                admission,
                timeouts,
                transport,
                choices,
                callSites,
                tuning,
                objectBytes,
                observers,
                dumps);
    }

    private CommConfig with(HostPlace place, String transport, boolean callSites, Tuning tuning, long objectBytes) {
        return new CommConfig(
                rank,
                worldSize,
                place,
                store,
                admission,
                timeouts,
                transport,
                choices,
                callSites,
                tuning,
                objectBytes,
                observers,
                dumps);
    }

    private static RendezvousException bad(String message) {
        return new RendezvousException(message);
    }
}
