package io.reactivecomm.internal.stream;

import io.reactivecomm.internal.base.StreamName;
import java.util.List;

/**
 * One end of streams between two ranks: what those have in common that are counted together.
 *
 * @param isOutgoing whether this rank sends
 * @param name what the program calls it
 */
public record StreamPlace(boolean isOutgoing, int peer, String name, int tag) {

    /** {@return whether a message of that name is one of a stream} */
    public static boolean isOfMessages(String name) {
        return StreamName.isOfStream(name);
    }

    /** {@return whether a message of that name is one that the two ends of a stream send each other beside its tensors} */
    public static boolean isNote(String name) {
        return StreamName.isOfMessage(name) && !StreamName.isOfBytes(name);
    }

    /** {@return the names of what one of its streams' sender sends} */
    public List<String> fromSender(long number) {
        String prefix = StreamName.prefix(name, number);
        return List.of(prefix + StreamName.ITEMS, prefix + StreamName.BYTES, prefix + StreamName.END);
    }

    /** {@return the name of what one of its streams' receiver sends} */
    public String fromReceiver(long number) {
        return StreamName.prefix(name, number) + StreamName.ANSWERS;
    }

    /** {@return the end here of the stream that a message is of; a stream's receiver sends answers, and nothing else} */
    public static StreamPlace ofMessage(boolean isSent, int peer, String name, int tag) {
        return new StreamPlace(isSent != StreamName.isOfAnswer(name), peer, StreamName.program(name), tag);
    }
}
