package io.reactivecomm.netty.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.host.UserDirectories;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The token of a store on loopback, for the processes of one user. */
class TokenFileTest {

    /** More than any system counts to. */
    private static final long NO_PID = 1 << 30;

    private static final InetSocketAddress STORE = new InetSocketAddress("127.0.0.1", 4711);

    @TempDir
    Path temporary;

    private Path root;
    private UserDirectories directories;

    @BeforeEach
    void begin() throws IOException {
        root = temporary.toRealPath();
        directories = new UserDirectories(root.resolve("run"), root);
    }

    private TokenFile file() {
        return new TokenFile(STORE, directories);
    }

    private Path directory() throws IOException {
        return directories.all().getFirst();
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(directory())) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return all.getFirst();
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void setMode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static void expect(ThrowingCallable attempt, String... parts) {
        assertThatThrownBy(attempt)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll(parts)
                .hasMessageContaining("RCOMM_TOKEN_FILE=0");
    }

    @Test
    void published_isReadByOthers_untilItIsRemoved() throws IOException {
        TokenFile mine = file();
        assertThat(file().read()).isEmpty();
        mine.publish("secret");
        assertThat(file().read()).contains("secret");
        assertThat(new TokenFile(new InetSocketAddress("127.0.0.1", 4712), directories).read())
                .isEmpty();
        assertThat(mode(onlyFile())).isEqualTo("rw-------");
        assertThat(mode(directory())).isEqualTo("rwx------");
        mine.remove();
        assertThat(file().read()).isEmpty();
        assertThat(directory()).isEmptyDirectory();
    }

    @Test
    void remove_leavesWhatTheNextStoreWrote() {
        TokenFile earlier = file();
        earlier.publish("old");
        file().publish("new");
        earlier.remove();
        assertThat(file().read()).contains("new");
        expectOver(() -> earlier.publish("late"));
    }

    private static void expectOver(ThrowingCallable attempt) {
        assertThatThrownBy(attempt).isInstanceOf(RendezvousException.class).hasMessageContaining("is over");
    }

    @Test
    void leftoverOfADeadProcess_isNotRead_andIsReplaced() throws IOException {
        file().publish("dead");
        Path path = onlyFile();
        new AddressFile(path).replace(byAnEndedProcess());
        assertThat(file().read()).isEmpty();
        file().publish("alive");
        assertThat(file().read()).contains("alive");
        assertThat(onlyFile()).isEqualTo(path);
    }

    private static PublishedAddress byAnEndedProcess() {
        return byAnEndedProcess(ProcessHandle.current().pid());
    }

    private static PublishedAddress byAnEndedProcess(long pid) {
        PublishedAddress self = PublishedAddress.ofThisProcess("127.0.0.1", 4711, "dead");
        PublishedAddress dead = new PublishedAddress(
                "127.0.0.1", 4711, "dead", self.machine(), self.processes(), pid, Instant.ofEpochSecond(1));
        Assumptions.assumeTrue(dead.isOfEndedProcess(), "the system does not tell processes apart");
        return dead;
    }

    @Test
    void leftoversOfDeadProcesses_atOtherAddresses_areSwept_andNothingElse() throws IOException {
        TokenFile alive = new TokenFile(new InetSocketAddress("127.0.0.1", 4712), directories);
        alive.publish("alive");
        String kept = onlyFile().getFileName().toString();
        PublishedAddress dead = byAnEndedProcess(NO_PID);
        for (String name : List.of(
                kept.replace("4712", "4713"), "." + kept.replace("4712", "4714") + ".0123456789abcdef", "other")) {
            new AddressFile(directory().resolve(name)).replace(dead);
        }
        // After the clock was set a process that lives looks like this.
        String doubtful = kept.replace("4712", "4717");
        new AddressFile(directory().resolve(doubtful)).replace(byAnEndedProcess());
        Path empty = Files.createFile(directory().resolve(kept.replace("4712", "4715")));
        Path link = Files.createSymbolicLink(directory().resolve(kept.replace("4712", "4716")), empty);
        file().publish("mine");
        assertThat(file().read()).contains("mine");
        try (Stream<Path> files = Files.list(directory())) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            kept,
                            kept.replace("4712", "4711"),
                            doubtful,
                            "other",
                            empty.getFileName().toString(),
                            link.getFileName().toString());
        }
    }

    /** Stores that were killed have left them, and they come first by name. */
    @Test
    void job_behindManyLeftovers_isFound() throws IOException {
        file().publish("alive");
        String name = onlyFile().getFileName().toString();
        PublishedAddress dead = byAnEndedProcess();
        for (int port = 1000; port < 1300; port++) {
            Path left = directory().resolve(name.replace("4711", String.valueOf(port)));
            Files.write(left, dead.encode());
            setMode(left, "rw-------");
        }
        assertThat(TokenFile.all(directories))
                .extracting(PublishedAddress::token)
                .containsExactly("alive");
    }

    @Test
    void symbolicLink_isNeitherFollowedNorReplaced() throws IOException {
        file().publish("first");
        Path path = onlyFile();
        Path target = Files.writeString(root.resolve("target"), "untouched");
        Files.delete(path);
        Files.createSymbolicLink(path, target);
        expect(() -> file().publish("second"), "symbolic link");
        expect(() -> file().read(), "symbolic link");
        assertThat(target).hasContent("untouched");
    }

    @Test
    void fileOfSomebodyElse_isRefused() throws IOException {
        file().publish("theirs");
        try {
            Files.setOwner(
                    onlyFile(),
                    root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        } catch (IOException e) {
            Assumptions.abort("only root may give files away");
        }
        expect(() -> file().publish("mine"), "belongs to somebody else", "owner=nobody");
        expect(() -> file().read(), "belongs to somebody else");
    }

    @Test
    void fileOpenToOthers_isRefused() throws IOException {
        file().publish("known to all");
        setMode(onlyFile(), "rw-r-----");
        expect(() -> file().read(), "open to others");
        expect(() -> file().publish("mine"), "open to others");
    }

    @Test
    void directoryThatOthersWriteTo_orOfSomebodyElse_orALink_isRefused() throws IOException {
        file().publish("first");
        setMode(directory(), "rwxrwxrwx");
        expect(() -> file().publish("second"), "others may write to it");
        expect(() -> file().read(), "others may write to it");
        Path moved = Files.move(directory(), root.resolve("moved"));
        setMode(moved, "rwx------");
        Files.createSymbolicLink(directory(), moved);
        expect(() -> file().publish("third"), "symbolic link");
        assertThat(file().read()).isEmpty();
    }

    @Test
    void directoryOfTheLogin_isTaken_ifItIsThisUsersAlone() throws IOException {
        String user = directory().getFileName().toString().replace("reactive-comm-", "");
        Path own = Files.createDirectories(root.resolve("run").resolve(user));
        setMode(own, "rwxr-xr-x");
        assertThat(directory()).isEqualTo(root.resolve("reactive-comm-" + user));
        file().publish("before the login");
        setMode(own, "rwx------");
        assertThat(file().read()).contains("before the login");
        file().publish("after");
        assertThat(directory()).isEqualTo(own.resolve("reactive-comm"));
        assertThat(file().read()).contains("after");
    }

    @Test
    void directoryThatAnybodyMade_keepsNobodyWithABetterPlaceOut() throws IOException {
        Path anybodys = Files.createDirectory(directory());
        setMode(anybodys, "rwxrwxrwx");
        expect(() -> file().read(), "others may write to it");
        Path own = Files.createDirectories(
                root.resolve("run").resolve(anybodys.getFileName().toString().replace("reactive-comm-", "")));
        setMode(own, "rwx------");
        assertThat(file().read()).isEmpty();
        file().publish("mine");
        assertThat(file().read()).contains("mine");
    }
}
