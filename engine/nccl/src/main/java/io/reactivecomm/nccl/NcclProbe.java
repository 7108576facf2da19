package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The library of NCCL as a check of the machine calls it: its names and numbers, and one communicator's messages and sums, with no engine between.
 *
 * <p><b>Errors.</b> {@link CommException} with the library's own texts.
 *
 * <p><b>Threads.</b> A device's own, on which its context is current; what only reads the library, any.
 */
public final class NcclProbe {

    /** The system property that names the library of this JVM, a path or a name; it goes before the variable RCOMM_NCCL_LIBRARY. */
    public static final String PROPERTY = NcclLibrary.PROPERTY;

    private static final NcclType WORD = NcclType.UINT32;

    private final NcclLibrary library;
    private final NcclSetup setup;
    private final NcclCalls calls;

    private NcclProbe(NcclLibrary library) {
        this.library = library;
        setup = new NcclSetup(library);
        calls = new NcclCalls(setup);
    }

    /**
     * {@return the library of this process, found as the engine finds it}
     *
     * @throws io.reactivecomm.UnsupportedCollectiveException if there is none
     */
    public static NcclProbe open(Map<String, String> environment) {
        return new NcclProbe(NcclLibrary.open(environment));
    }

    /** {@return the path or name by which it was loaded} */
    public String name() {
        return library.name();
    }

    /** {@return whether it is NVIDIA's, whose functions take streams and memory of CUDA} */
    public boolean isNvidias() {
        return library.dialect() == NcclDialect.NCCL;
    }

    /** {@return the library as people call it} */
    public String label() {
        return library.dialect().label();
    }

    /** {@return the version by the library's own number, such as 22803 for NCCL 2.28.3} */
    public int version() {
        return setup.version();
    }

    /** {@return the version as people write it, such as 2.28.3} */
    public String versionText() {
        int version = version();
        // From 2.9 on there are two digits for the minor one.
        int ofMajor = version < 10_000 ? 1_000 : 10_000;
        return version / ofMajor + "." + version % ofMajor / 100 + "." + version % 100;
    }

    /** {@return the functions that may be called, by the library's own names} */
    public List<String> known() {
        return names(true);
    }

    /** {@return those of the table that it has not} */
    public List<String> missing() {
        return names(false);
    }

    private List<String> names(boolean isThere) {
        return Arrays.stream(NcclFunction.values())
                .filter(function -> library.has(function) == isThere)
                .map(library.dialect()::name)
                .toList();
    }

    /** {@return a unique id, for all ranks of one communicator} */
    public byte[] uniqueId() {
        return setup.uniqueId();
    }

    /** {@return a communicator} Blocks until all ranks have come. */
    public long join(int size, byte[] id, int rank) {
        return setup.initRank(size, id, rank).comm();
    }

    /** Frees a communicator. Blocks until what is under way has ended. */
    public void leave(long comm) {
        setup.destroy(comm);
    }

    /** {@return whether the library refuses something as wrong use, such as two ranks on one device} */
    public static boolean isRefusal(CommException error) {
        return error instanceof NcclException ofNccl && ofNccl.result() == NcclResult.INVALID_USAGE;
    }

    /** {@return whether one of the library's functions has failed} */
    public static boolean isFailure(CommException error) {
        return error instanceof NcclException;
    }

    public void groupStart() {
        calls.groupStart();
    }

    public void groupEnd() {
        calls.groupEnd();
    }

    /** Sends words of 32 bits. */
    public void send(long from, long count, int peer, long comm, long stream) {
        calls.send(from, count, WORD, peer, comm, stream);
    }

    /** Receives words of 32 bits. */
    public void receive(long to, long count, int peer, long comm, long stream) {
        calls.receive(to, count, WORD, peer, comm, stream);
    }

    /** Adds up the words of all ranks, in place. */
    public void sum(long at, long count, long comm, long stream) {
        calls.allReduce(at, at, count, WORD, NcclOperation.SUM.code(), comm, stream);
    }
}
