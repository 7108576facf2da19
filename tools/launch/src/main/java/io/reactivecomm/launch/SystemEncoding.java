package io.reactivecomm.launch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The encoding in which this JVM exchanges arguments and variables with other processes, which depends on the locale. The JVM silently replaces
 * characters that the encoding cannot express by question marks; in the C locale these are all characters except ASCII.
 */
final class SystemEncoding {

    private static final Charset CHARSET = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /** The replacement for bytes of this process's own arguments that are not valid in its encoding. */
    private static final String UNREADABLE = "\uFFFD";

    private static final Path OWN_ARGUMENTS = Path.of("/proc/self/cmdline");

    private SystemEncoding() {}

    /** @throws LaunchException if a rank would receive a changed text */
    static void requireExpressible(Stream<String> texts) {
        List<String> lost = texts.filter(
                        text -> !expresses(CHARSET, text) || text.contains(UNREADABLE) && !readsOwnArguments())
                .toList();
        if (!lost.isEmpty()) {
            throw new LaunchException(
                    LaunchException.FAILED,
                    "a text cannot be passed to ranks in the encoding of this process: text=" + lost.getFirst()
                            + ", encoding=" + CHARSET
                            + "; set LC_ALL=C.UTF-8 for the launcher, and write the text in that encoding");
        }
    }

    static boolean expresses(Charset charset, String text) {
        return charset.newEncoder().canEncode(text);
    }

    /** A replacement character may be part of the original text. */
    private static boolean readsOwnArguments() {
        try {
            CHARSET.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(OWN_ARGUMENTS)));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        } catch (IOException e) {
            // Not Linux.
            return true;
        }
    }
}
