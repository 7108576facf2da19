package io.reactivecomm.internal.stream;

import java.util.List;

/**
 * One end of streams between two ranks: what those have in common that are counted together.
 *
 * @param isOutgoing whether this rank sends
 * @param name what the program calls it
 */
public record StreamPlace(boolean isOutgoing, int peer, String name, int tag) {

    /** Behind the program's name in those of a stream's messages, before its number; no program's own name has it. */
    private static final String MARK = "\u0001stream#";

    static final String ITEMS = "items";
    static final String BYTES = "bytes";
    static final String END = "end";
    static final String ANSWERS = "answers";

    /** {@return what the names of the messages of one of its streams begin with} */
    static String prefix(String name, long number) {
        return name + MARK + number + ".";
    }

    /** {@return whether a message of that name is one of a stream} */
    public static boolean isOfMessages(String name) {
        return name.contains(MARK);
    }

    /** {@return the names of what one of its streams' sender sends} */
    public List<String> fromSender(long number) {
        String prefix = prefix(name, number);
        return List.of(prefix + ITEMS, prefix + BYTES, prefix + END);
    }

    /** {@return the name of what one of its streams' receiver sends} */
    public String fromReceiver(long number) {
        return prefix(name, number) + ANSWERS;
    }

    /** {@return the end here of the stream that a message is of; a stream's receiver sends answers, and nothing else} */
    public static StreamPlace ofMessage(boolean isSent, int peer, String name, int tag) {
        boolean isAnswer = name.endsWith("." + ANSWERS);
        return new StreamPlace(isSent != isAnswer, peer, name.substring(0, name.lastIndexOf(MARK)), tag);
    }
}
