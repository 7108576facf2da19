package io.reactivecomm.samples.programs.output;

import java.util.Locale;
import java.util.Map;

/**
 * The progress of a long command, told by whoever does the work to the process that the user has started, which shows it if its standard error is a
 * terminal. Rank 0 tells for all; where nobody shows it nothing is written.
 *
 * <p>It goes as a line of standard error that begins with {@link #MARK}, from a rank's process through the launcher's pipe, so that it needs no way of its
 * own. {@link ProgressStream} takes such lines out.
 */
public final class Progress {

    /** Begins a line that is none of the output: a character that no text has. */
    static final String MARK = "\u0010progress ";

    static final String PART = "part";
    static final String AT = "at";

    /** Set for ranks whose launcher shows progress. */
    private static final String VARIABLE = "RCOMM_SAMPLE_PROGRESS";

    private static final Progress SILENT = new Progress(false);
    private static final Progress TOLD = new Progress(true);

    private final boolean isShown;

    private Progress(boolean isShown) {
        this.isShown = isShown;
    }

    /** {@return what a rank tells progress to: rank 0's, if somebody shows it} */
    public static Progress ofRank(int rank) {
        return rank == 0 ? ofCommand() : SILENT;
    }

    /** {@return what the command's own process tells progress to, if somebody shows it} */
    public static Progress ofCommand() {
        return ProgressStream.isInstalled() || "1".equals(System.getenv(VARIABLE)) ? TOLD : SILENT;
    }

    /** {@return the variables for ranks whose output comes to this process} */
    public static Map<String, String> variables() {
        return ProgressStream.isInstalled() ? Map.of(VARIABLE, "1") : Map.of();
    }

    /** This is a part of a whole; what is told from here on is of that part. @param number from 0 */
    public void part(int number, int parts) {
        tell(PART + " " + number + " " + parts);
    }

    /** So much is done. @param doing what is done now, in a few words */
    public void at(double done, double total, String doing) {
        if (isShown) {
            tell(String.format(Locale.ROOT, "%s %.3f %.3f %s", AT, done, total, doing));
        }
    }

    private void tell(String text) {
        if (isShown) {
            System.err.println(MARK + text);
        }
    }
}
