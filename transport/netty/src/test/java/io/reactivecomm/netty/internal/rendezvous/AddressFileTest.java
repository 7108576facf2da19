package io.reactivecomm.netty.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressFileTest {

    private static final PublishedAddress ADDRESS = PublishedAddress.ofThisProcess("127.0.0.1", 4711, "secret");

    @TempDir
    Path temporary;

    private Path directory;
    private Path path;

    @BeforeEach
    void begin() throws IOException {
        directory = temporary.toRealPath();
        path = directory.resolve("job");
    }

    private AddressFile file() {
        return new AddressFile(path);
    }

    private static void expect(ThrowingCallable attempt, String... parts) {
        assertThatThrownBy(attempt)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll(parts)
                .hasMessageContaining(";");
    }

    private AddressFile published() {
        AddressFile file = file();
        file.claim();
        file.publish(ADDRESS);
        return file;
    }

    private void expectNothingBeside(Path... left) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactlyInAnyOrder(left);
        }
    }

    private static void setMode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    void read_beforeDuringAndAfterPublication_seesNothingOrAll() throws IOException {
        AddressFile zero = file();
        assertThat(file().read()).isEmpty();
        zero.claim();
        assertThat(file().read()).isEmpty();
        zero.publish(ADDRESS);
        assertThat(file().read()).contains(ADDRESS);
        expectNothingBeside(path);
        zero.remove();
        assertThat(file().read()).isEmpty();
        expectNothingBeside();
        zero.remove();
    }

    @Test
    void published_isForThisUserOnly() throws IOException {
        published();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        assertThat(ADDRESS.toString()).doesNotContain("secret");
    }

    @Test
    void claim_whereAJobIsUnderWay_saysWhoWroteIt() {
        AddressFile first = published();
        expect(
                () -> file().claim(),
                "is there already",
                "file=" + path,
                "pid=" + ProcessHandle.current().pid());
        first.remove();
        published();
    }

    /** The earlier job removes its file in the same moment as the next one puts its own there. */
    @Test
    void remove_asAnotherJobTakesTheName_neverRemovesTheOthers() throws Exception {
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            for (int round = 0; round < 2000; round++) {
                AddressFile earlier = file();
                AddressFile next = file();
                earlier.replace(ADDRESS);
                CyclicBarrier both = new CyclicBarrier(2);
                Future<?> removed = other.submit(() -> {
                    both.await();
                    earlier.remove();
                    return null;
                });
                both.await();
                next.replace(ADDRESS);
                removed.get();
                assertThat(file().read()).as("round " + round).contains(ADDRESS);
                next.remove();
            }
        }
        expectNothingBeside();
    }

    @Test
    void leftoverOfAnEndedProcess_isToldOnAllRanks() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        PublishedAddress left = new PublishedAddress(
                "127.0.0.1", 4711, null, ADDRESS.machine(), ADDRESS.processes(), ended.pid(), Instant.now());
        Assumptions.assumeTrue(left.isOfEndedProcess(), "the system does not tell processes apart");
        AddressFile earlier = file();
        earlier.claim();
        earlier.publish(left);
        expect(() -> file().claim(), "leftover of an earlier run", "pid=" + ended.pid(), "remove it");
        expect(() -> file().read(), "leftover of an earlier run", "file=" + path);
    }

    @Test
    void numberOfAnEndedProcessInUseAgain_isALeftoverToo() {
        PublishedAddress left = new PublishedAddress(
                "127.0.0.1", 1, null, ADDRESS.machine(), ADDRESS.processes(), ADDRESS.pid(), Instant.ofEpochSecond(1));
        Assumptions.assumeTrue(!ADDRESS.processes().isEmpty(), "the system does not tell processes apart");
        assertThat(left.isOfEndedProcess()).isTrue();
        assertThat(ADDRESS.isOfEndedProcess()).isFalse();
    }

    @Test
    void processOfAnotherMachine_mayBeAlive() {
        PublishedAddress other =
                new PublishedAddress("10.0.0.1", 1, null, "other", ADDRESS.processes(), 1, Instant.ofEpochSecond(1));
        assertThat(other.isOfEndedProcess()).isFalse();
    }

    @Test
    void symbolicLink_isRefused() throws IOException {
        Path target = Files.createFile(directory.resolve("target"));
        setMode(target, "rw-------");
        Files.createSymbolicLink(path, target);
        expect(() -> file().claim(), "symbolic link", "file=" + path);
        expect(() -> file().read(), "symbolic link");
        Files.delete(target);
        expect(() -> file().claim(), "symbolic link");
        assertThat(target).doesNotExist();
    }

    @Test
    void directoryThroughASymbolicLink_isRefused() throws IOException {
        Path real = Files.createDirectory(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        AddressFile file = new AddressFile(link.resolve("job"));
        expect(file::claim, "symbolic link", "real=" + real);
        expect(file::read, "symbolic link");
    }

    @Test
    void directoryThatOthersWriteTo_isRefused_unlessFilesInItAreSafe() throws Exception {
        setMode(directory, "rwxrwxrwx");
        expect(() -> file().claim(), "others may write to it", "mode=rwxrwxrwx");
        expect(() -> file().read(), "others may write to it");
        setMode(directory, "rwxrwx---");
        expect(() -> file().claim(), "others may write to it");
        assertThat(new ProcessBuilder("chmod", "1777", directory.toString())
                        .start()
                        .waitFor())
                .isZero();
        published().remove();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-rw----", "rw----rw-", "rw-r-----", "rwxrwxrwx"})
    void fileOpenToOthers_isRefused(String mode) throws IOException {
        published();
        setMode(path, mode);
        expect(() -> file().read(), "open to others", "mode=" + mode);
        expect(() -> file().claim(), "open to others");
    }

    @Test
    void fileOfSomebodyElse_isRefused() throws IOException {
        UserPrincipal nobody =
                directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        published();
        try {
            Files.setOwner(path, nobody);
        } catch (IOException e) {
            Assumptions.abort("only root may give files away");
        }
        expect(() -> file().read(), "belongs to somebody else", "owner=nobody");
        expect(() -> file().claim(), "belongs to somebody else");
        Files.delete(path);
        Files.setOwner(directory, nobody);
        expect(() -> file().claim(), "directory=" + directory, "belongs to somebody else", "owner=nobody");
        expectNothingBeside();
    }

    @Test
    void directoryInTheFilesPlace_isRefused() throws IOException {
        Files.createDirectory(path);
        expect(() -> file().claim(), "no plain file");
        expect(() -> file().read(), "no plain file");
    }

    @Test
    void directoryThatIsNotThere_isNamed() {
        path = directory.resolve("missing/job");
        expect(() -> file().claim(), "file=" + path, "NoSuchFile");
        expect(() -> file().read(), "NoSuchFile");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "something else",
                "reactive-comm rendezvous 1\nend\n",
                "reactive-comm rendezvous 1\nhost=h\nport=99999\npid=1\nstarted=2026-01-01T00:00:00Z\nend\n",
                "reactive-comm rendezvous 1\nhost=h\nport=1\npid=1\nstarted=yesterday\nend\n",
                "reactive-comm rendezvous 1\nhost=h\nport=1\npid=1\nstarted=2026-01-01T00:00:00Z\n",
                "reactive-comm rendezvous 2\nhost=h\nport=1\npid=1\nstarted=2026-01-01T00:00:00Z\nend\n"
            })
    void contentThatNoRankWrote_isRefused(String content) throws IOException {
        Files.writeString(path, content);
        setMode(path, "rw-------");
        expect(() -> file().read(), "not one that rank 0 wrote", "file=" + path);
        expect(() -> file().claim(), "not one that rank 0 wrote");
    }

    @Test
    void contentWithoutEnd_isReadToItsLimitOnly() throws IOException {
        Files.write(path, new byte[16 * 1024 * 1024]);
        setMode(path, "rw-------");
        expect(() -> file().read(), "not one that rank 0 wrote");
    }

    @Test
    void publish_whereTheFileWasExchanged_isRefused_andRemoveLeavesTheOther() throws IOException {
        AddressFile zero = file();
        zero.claim();
        Files.move(path, directory.resolve("moved"));
        Files.writeString(path, "another's");
        expect(() -> zero.publish(ADDRESS), "exchanged");
        zero.remove();
        assertThat(path).hasContent("another's");
    }

    @Test
    void afterRemove_nothingIsClaimedOrPublishedAnyMore() throws IOException {
        AddressFile cancelled = file();
        cancelled.remove();
        expect(cancelled::claim, "is over");
        AddressFile claimed = file();
        claimed.claim();
        claimed.remove();
        expect(() -> claimed.publish(ADDRESS), "is over");
        expectNothingBeside();
    }
}
