package io.reactivecomm.spi;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The JVM options that ranks of a job inherit from the process that starts them: all, except those that only one process can have.
 *
 * <p>Only one process can have an option that opens a fixed port or writes a file with a fixed name:
 *
 * <ul>
 *   <li>a debugger ({@code -agentlib:jdwp}); another agent whose options name a {@code port}, an {@code address} or a {@code file};
 *   <li>a port of JMX other than 0, or a file that may configure one;
 *   <li>the recording or writing of a class archive: {@code -XX:AOTCacheOutput}, {@code -XX:AOTConfiguration}, {@code -XX:AOTMode=record},
 *       {@code -XX:ArchiveClassesAtExit}, {@code -XX:+AutoCreateSharedArchive}. Ranks may read one: {@code -XX:AOTCache} is inherited;
 *   <li>a flight recording with a file name, unless it is a folder; a log file of {@code -Xlog} and its kin.
 * </ul>
 *
 * <p>A name with {@code %p}, the process id, differs between processes and is inherited. So are {@code -XX:HeapDumpPath} and {@code -XX:ErrorFile}, which
 * write only when a process fails.
 */
public final class RankJvmOptions {

    /** The environment variables from which a JVM reads options. */
    private static final List<String> VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private static final String PROCESS_ID = "%p";

    private static final Pattern FOR_ONE = Pattern.compile("-agentlib:jdwp.*|-Xrunjdwp.*"
            + "|-XX:(AOTCacheOutput|AOTConfiguration|ArchiveClassesAtExit|DumpLoadedClassList)=.*|-XX:AOTMode=(record|create)"
            + "|-XX:\\+AutoCreateSharedArchive|-Xshare:dump"
            + "|-Dcom\\.sun\\.management\\.([\\w.]*\\.)?port=(?!0$).*|-Dcom\\.sun\\.management\\.config\\.file=.*");

    private static final Pattern FOR_ONE_UNLESS_NAMED_BY_PROCESS =
            Pattern.compile("-(agentlib|agentpath|javaagent|Xrun).*[=,](file|port|address)=.*"
                    + "|-Xlog:[^:]*:(?!(stdout|stderr)?(:|$)).*|-Xloggc:.*|-XX:(LogFile|PerfDataSaveFile)=.*");

    private static final Pattern RECORDING =
            Pattern.compile("-XX:StartFlightRecording[:=](?:.*,)?filename=(\"[^\"]*\"|[^,]*).*");

    /** A word of a variable; quotes may enclose blanks, as in a shell. */
    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"']|\"[^\"]*\"|'[^']*')+");

    private RankJvmOptions() {}

    /** {@return the options of this JVM that its ranks inherit} */
    public static List<String> inherited() {
        return shared(ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    /** {@return the options that several processes may have} */
    public static List<String> shared(List<String> options) {
        return options.stream().filter(option -> !isForOneProcess(option)).toList();
    }

    /**
     * Removes the options that only one process can have from an environment for ranks.
     *
     * @param environment to be changed in {@code JAVA_TOOL_OPTIONS}, {@code JDK_JAVA_OPTIONS} and {@code _JAVA_OPTIONS}
     * @return the removed options
     */
    public static List<String> share(Map<String, String> environment) {
        List<String> takenOut = new ArrayList<>();
        for (String name : VARIABLES) {
            List<String> words = WORD.matcher(environment.getOrDefault(name, ""))
                    .results()
                    .map(MatchResult::group)
                    .toList();
            List<String> unshared = words.stream()
                    .filter(word -> isForOneProcess(unquoted(word)))
                    .toList();
            if (!unshared.isEmpty()) {
                environment.put(
                        name,
                        words.stream().filter(word -> !unshared.contains(word)).collect(Collectors.joining(" ")));
                takenOut.addAll(unshared);
            }
        }
        return takenOut;
    }

    private static String unquoted(String word) {
        return word.replace("\"", "").replace("'", "");
    }

    private static boolean isForOneProcess(String option) {
        return FOR_ONE.matcher(option).matches() || !option.contains(PROCESS_ID) && writesOneFile(option);
    }

    private static boolean writesOneFile(String option) {
        Matcher recording = RECORDING.matcher(option);
        return FOR_ONE_UNLESS_NAMED_BY_PROCESS.matcher(option).matches()
                || recording.matches() && !isFolder(unquoted(recording.group(1)));
    }

    /** In a folder, each recording gets its own name. */
    private static boolean isFolder(String path) {
        try {
            return Files.isDirectory(Path.of(path));
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
