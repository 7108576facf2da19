package io.reactivecomm.internal.base;

/**
 * The names of a stream's messages: the program's own, a mark that no program's name has, the stream's number, and which of its lines they are.
 *
 * <pre>
 *   weights ␁stream# 3 . items
 * </pre>
 */
public final class StreamName {

    /** What notes of items go by, then their bytes, then the end; and what the receiver says. */
    public static final String ITEMS = "items";

    public static final String BYTES = "bytes";
    public static final String END = "end";
    public static final String ANSWERS = "answers";

    private static final char SIGN = '\u0001';
    private static final String WORD = "stream#";
    private static final String MARK = SIGN + WORD;
    private static final char DOT = '.';

    private StreamName() {}

    /** {@return the name of a stream itself, by which no message goes} */
    public static String of(String name, long number) {
        return name + MARK + number;
    }

    /** {@return what the names of its messages begin with} */
    public static String prefix(String name, long number) {
        return of(name, number) + DOT;
    }

    /** {@return whether a name is one of a stream, or of one of its messages} */
    public static boolean isOfStream(String name) {
        return name.indexOf(SIGN) >= 0 && name.contains(MARK);
    }

    /** {@return whether it is that of a message of a stream} */
    public static boolean isOfMessage(String name) {
        return isOfStream(name) && name.indexOf(DOT, name.lastIndexOf(SIGN)) >= 0;
    }

    /** {@return whether it is that of a message which a stream's receiver sends} */
    public static boolean isOfAnswer(String name) {
        return name.endsWith(DOT + ANSWERS);
    }

    /** {@return whether it is that of the bytes of one of a stream's tensors} */
    public static boolean isOfBytes(String name) {
        return name.endsWith(DOT + BYTES);
    }

    /** {@return what the program calls the stream} */
    public static String program(String name) {
        return name.substring(0, name.lastIndexOf(MARK));
    }

    /** {@return the stream of one of its messages, or of itself} */
    public static String stream(String name) {
        int sign = name.lastIndexOf(SIGN);
        int dot = name.indexOf(DOT, sign);
        return dot < 0 ? name : name.substring(0, dot);
    }

    /** {@return which of the streams between its two ends it is} */
    public static long number(String name) {
        return Long.parseLong(stream(name).substring(name.lastIndexOf(SIGN) + MARK.length()));
    }

    /** {@return a label in which such names may be, as people read it} */
    public static String readable(String label) {
        int sign = label.lastIndexOf(SIGN);
        if (sign < 0) {
            return label;
        }
        boolean isUnnamed = sign == 0 || label.charAt(sign - 1) == '/';
        return label.substring(0, sign) + (isUnnamed ? "" : DOT) + label.substring(sign + 1);
    }
}
