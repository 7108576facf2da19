package io.reactivecomm.internal.stream;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.internal.base.StreamName;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * The messages of one stream, by name: those of its items, of their bytes, of its end, and of the receiver's answers.
 *
 * <p>Each is a sequence of its own, so that one that fails or lags shifts no other. A name carries the stream's number, and a character
 * that keeps it apart from what a program calls its own.
 */
final class StreamMessages {

    /** Longer than any job: a reader that pauses is no fault. */
    private static final Duration FOREVER = Duration.ofDays(10_000);

    /** How the engine's messages name a call of a stream: the name of its line, its number if it has one, and its ends. */
    private static final String CALL = "(items|bytes|end|answers)(#\\d+)?(\\[[^\\]]*\\])?";

    /** How a rank says in which step it did not make one. */
    private static final String LEFT_OUT = "a further (send|receive), peer=\\d+, tag=-?\\d+, name=";

    /** The group of {@link #call} that has the line. */
    private static final int LINE = 2;

    static final String SEND_ALL = "sendAll";
    static final String RECEIVE_ALL = "receiveAll";

    private static final Pattern VERB = Pattern.compile("^(send|receive)\\b");

    private final String operation;
    private final String name;
    private final long number;
    private final Pattern call;
    private final Pattern leftOut;
    private final int rank;
    private final int peer;
    private final int tag;
    private final ProcessGroup items;
    private final ProcessGroup payloads;
    private final ProcessGroup patientItems;
    private final ProcessGroup end;
    private final ProcessGroup answers;

    /**
     * Opens them.
     *
     * @param operation what the program called, for messages
     * @param number which stream between the two ranks under that name and tag this is, from 0
     */
    StreamMessages(ProcessGroup group, String operation, String name, long number, int peer, int tag) {
        this.operation = operation;
        this.name = name;
        this.number = number;
        String prefix = StreamName.prefix(name, number);
        String calls = "(call=)?" + Pattern.quote(prefix) + CALL;
        this.call = Pattern.compile(calls);
        this.leftOut = Pattern.compile(LEFT_OUT + calls);
        this.rank = group.rank();
        this.peer = peer;
        this.tag = tag;
        ProcessGroup patient = group.timeout(FOREVER);
        this.items = group.named(prefix + StreamName.ITEMS);
        this.payloads = group.named(prefix + StreamName.BYTES);
        this.patientItems = patient.named(prefix + StreamName.ITEMS);
        this.end = patient.named(prefix + StreamName.END);
        this.answers = patient.named(prefix + StreamName.ANSWERS);
    }

    /** {@return which stream of its place it is} */
    long number() {
        return number;
    }

    int peer() {
        return peer;
    }

    Mono<Work> sendItem(Tensor note) {
        return told(items.send(note, peer, tag));
    }

    /** {@return the next note about an item, within the group's deadline} */
    Mono<Work> receiveItem(Tensor note) {
        return told(items.receive(note, peer, tag));
    }

    Mono<Work> sendLast(Tensor note) {
        return told(patientItems.send(note, peer, tag));
    }

    /** {@return the next note about an item, whenever it comes} */
    Mono<Work> awaitItem(Tensor note) {
        return told(patientItems.receive(note, peer, tag));
    }

    Mono<Work> sendPayload(Tensor tensor) {
        return told(payloads.send(tensor, peer, tag));
    }

    Mono<Work> receivePayload(Tensor tensor) {
        return told(payloads.receive(tensor, peer, tag));
    }

    Mono<Work> sendEnd(Tensor note) {
        return told(end.send(note, peer, tag));
    }

    Mono<Work> awaitEnd(Tensor note) {
        return told(end.receive(note, peer, tag));
    }

    Mono<Work> sendAnswer(Tensor note) {
        return told(answers.send(note, peer, tag));
    }

    Mono<Work> awaitAnswer(Tensor note) {
        return told(answers.receive(note, peer, tag));
    }

    /** A stream's error says what the program called, and not of which calls the library makes a stream. */
    private Mono<Work> told(Mono<Work> work) {
        return work.onErrorMap(CommException.class, this::told);
    }

    private CommException told(CommException error) {
        CommException told = of(error, told(CommException.textOf(error)));
        if (error.getCause() != null) {
            told.initCause(error.getCause());
        }
        return told;
    }

    /**
     * {@return what the engine says of one of these calls, or of none where its group has ended, said of the stream}
     * If the call is the peer's, as where the peer's was refused, the text names both ends of the stream.
     */
    private String told(String text) {
        Matcher named = call.matcher(text);
        if (!named.find()) {
            return failed(text);
        }
        Matcher verb = VERB.matcher(text);
        boolean isOfSender =
                verb.find() && verb.group().equals("send") != named.group(LINE).equals(StreamName.ANSWERS);
        boolean isOfPeer = verb.hasMatch() && isOfSender != isOutgoing();
        String operationNamed = isOfPeer ? isOfSender ? SEND_ALL : RECEIVE_ALL : operation;
        String placeNamed = isOfPeer ? place(rank) : place();
        String told = leftOut.matcher(text).replaceAll(Matcher.quoteReplacement("its end of a stream, " + place()));
        String said = VERB.matcher(call.matcher(told).replaceAll(Matcher.quoteReplacement(placeNamed)))
                .replaceFirst(operationNamed);
        return isOfPeer ? failed(said) : said;
    }

    private String failed(String cause) {
        return operation + " failed: " + place() + ", cause=" + cause;
    }

    private boolean isOutgoing() {
        return operation.equals(SEND_ALL);
    }

    /** {@return an error of the same type that says this} */
    private static CommException of(CommException error, String text) {
        return switch (error) {
            case CommTimeoutException timeout -> new CommTimeoutException(text, timeout.missing());
            case PeerLostException lost -> new PeerLostException(text, lost.rank());
            case MismatchException ignored -> new MismatchException(text);
            case UnsupportedCollectiveException ignored -> new UnsupportedCollectiveException(text);
            case InvalidCallException ignored -> new InvalidCallException(text);
            case GroupClosedException ignored -> new GroupClosedException(text);
            case CommException ignored -> new CommException(text);
        };
    }

    private String place() {
        return place(peer);
    }

    private String place(int other) {
        return "peer=" + other + ", tag=" + tag + (name.isEmpty() ? "" : ", name=" + name) + ", stream=" + number;
    }

    /** {@return the stream in messages} */
    @Override
    public String toString() {
        return operation + "[" + place() + "]";
    }
}
