package io.reactivecomm.sequence;

import static io.reactivecomm.sequence.NoticeLayout.*;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import io.reactivecomm.spi.link.FrameCodec;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads notices as {@link NoticeLayout} draws them, and takes nothing for granted. What is allocated is in proportion to the bytes that are
 * there, and what breaks the layout is a {@link ProtocolException}.
 */
final class NoticeReader {

    private static final Operation[] OPERATIONS = Operation.values();
    private static final Failure.Kind[] FAILURES = Failure.Kind.values();

    /** Sequencers compare what composite calls are by their words. */
    private static final long NO_OPERATION = 0;

    /** What the call that is being read is in: here, since no way to it may be merged with none. */
    private @Nullable Enclosure around;

    private final ByteBuffer in;
    private final int worldSize;

    private NoticeReader(ByteBuffer in, int worldSize) {
        this.in = in.order(ByteOrder.LITTLE_ENDIAN);
        this.worldSize = worldSize;
    }

    /**
     * {@return the notice that fills the buffer, without its length}
     *
     * @throws ProtocolException if it makes no sense
     */
    static Notice read(ByteBuffer in, int worldSize) {
        NoticeReader reader = new NoticeReader(in, worldSize);
        try {
            Notice notice = reader.notice();
            if (in.hasRemaining()) {
                throw broken("bytes behind the last field", "behind", in.remaining());
            }
            return notice;
        } catch (BufferUnderflowException e) {
            throw broken("cut short", "length", in.limit());
        }
    }

    private Notice notice() {
        byte kind = in.get();
        return switch (kind) {
            case INTRODUCED -> introduced();
            case READY ->
                new Notice.Ready(
                        key(),
                        integer(zigzag(), "priority"),
                        flag("sharesMemory"),
                        signature(),
                        text(MAX_TEXT_BYTES),
                        exchanged());
            case REFUSED -> new Notice.Refused(key(), failure());
            case FAILED -> failed();
            case ENDED -> ended();
            case ASKED -> new Notice.Asked(key());
            case WAITING -> new Notice.Waiting(key(), ranks(MAX_MISSING), text(MAX_TEXT_BYTES), flag("isOrder"));
            case BATCH -> batch();
            case LEFT -> left();
            case WANTED -> new Notice.Wanted(key());
            case ASSEMBLED -> new Notice.Assembled(ticket(key()));
            case OVER -> new Notice.Over(ticket(key()), flag("failed"), failure());
            case LEFT_OUT -> new Notice.LeftOut(key(), failure());
            case OPENING -> opening();
            case DONE -> new Notice.Done(number(), group());
            case CLOSED -> new Notice.Closed(group());
            case FREEING -> new Notice.Freeing(number(), group());
            case SENT_ELSEWHERE -> new Notice.SentElsewhere(message(key()), failure());
            default -> throw unknown("kind", kind, SENT_ELSEWHERE);
        };
    }

    private Map<Integer, Long> exchanged() {
        int count = bounded(Math.min(worldSize, in.remaining()), "exchanged");
        Map<Integer, Long> exchanged = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            exchanged.put(bounded(worldSize - 1, "rank"), in.getLong());
        }
        return exchanged;
    }

    private Notice introduced() {
        GroupKey group = group();
        List<Integer> members = ranks(worldSize);
        int count = bounded(EngineGroup.MOST_ANCESTORS, "parents");
        List<GroupKey> parents = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            parents.add(group());
        }
        return new Notice.Introduced(group, members, parents);
    }

    private Notice opening() {
        long number = number();
        GroupKey group = group();
        List<Integer> members = ranks(worldSize);
        if (flag("split")) {
            return new Notice.Opening(number, group, members, group(), ranks(worldSize));
        }
        return new Notice.Opening(number, group, members, null, List.of());
    }

    private Notice left() {
        if (flag("fault")) {
            return new Notice.Left(failure());
        }
        return new Notice.Left();
    }

    private Notice ended() {
        GroupKey group = group();
        boolean abandoned = flag("abandoned");
        boolean byEngine = flag("byEngine");
        return new Notice.Ended(group, failure(), abandoned, byEngine);
    }

    private boolean flag(String field) {
        byte flag = in.get();
        if (flag != 0 && flag != 1) {
            throw broken("neither 0 nor 1", field, flag);
        }
        return flag == 1;
    }

    private Notice failed() {
        CallKey key = key();
        Enclosure enclosure = key.enclosure();
        int level = bounded(enclosure == null ? 0 : enclosure.depth(), "level");
        return new Notice.Failed(key, failure(), level);
    }

    private Notice batch() {
        long number = number();
        int count = bounded(MAX_PLACES, "places");
        List<NameReference> places = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int flags = in.get();
            if (isImpossible(flags) || ((flags & SAME_GROUP) != 0 && places.isEmpty())) {
                throw broken("impossible flags", "flags", flags);
            }
            boolean isSame = (flags & SAME_GROUP) != 0;
            int generation = isSame ? places.getLast().group().generation() : generation();
            GroupKey group =
                    new GroupKey(generation, isSame ? places.getLast().group().id() : in.getLong());
            if ((flags & PAIRED) != 0) {
                places.add(paired(group));
            } else if ((flags & NEW) != 0) {
                places.add(new NameReference.New(ticket(numbers(group))));
            } else {
                places.add(again(group, (flags & ENCLOSED) != 0, (flags & STEPPED) != 0));
            }
        }
        return new Notice.Batch(number, places);
    }

    private static boolean isImpossible(int flags) {
        boolean isUnknown = (flags & ~(SAME_GROUP | NEW | ENCLOSED | STEPPED | PAIRED)) != 0;
        boolean isNoReference = (flags & (NEW | PAIRED)) != 0;
        return isUnknown
                || isNoReference && (flags & (ENCLOSED | STEPPED)) != 0
                || (flags & NEW) != 0 && (flags & PAIRED) != 0;
    }

    private NameReference paired(GroupKey group) {
        return new NameReference.Paired(message(numbers(group)), ordinal(), zigzag());
    }

    private NameReference again(GroupKey group, boolean isEnclosed, boolean isStepped) {
        int slot = bounded(RecentNames.SLOTS - 1, "slot");
        long tickets = zigzag();
        long steps = isStepped ? zigzag() : 0;
        int ordinal = ordinal();
        List<NameReference.RunStep> runs = new ArrayList<>();
        int count = isEnclosed ? bounded(Enclosure.MOST_DEEP, "runs") : 0;
        for (int i = 0; i < count; i++) {
            runs.add(new NameReference.RunStep(zigzag(), ordinal()));
        }
        return new NameReference.Again(group, slot, tickets, steps, ordinal, runs);
    }

    private long step() {
        long step = zigzag();
        if (step < CallKey.NO_STEP) {
            throw broken("impossible number of a scope", "number", step);
        }
        return step;
    }

    private int ordinal() {
        return bounded(Integer.MAX_VALUE, "ordinal");
    }

    private GroupKey group() {
        return new GroupKey(generation(), in.getLong());
    }

    private int generation() {
        return bounded(Integer.MAX_VALUE, "generation");
    }

    private CallKey key() {
        return numbers(group());
    }

    private static CallKey.Ticket ticket(CallKey key) {
        if (key instanceof CallKey.Ticket ticket) {
            return ticket;
        }
        throw broken("a message where a collective belongs", "call", key.label());
    }

    private static CallKey.Message message(CallKey key) {
        if (key instanceof CallKey.Message message) {
            return message;
        }
        throw broken("a collective where a message belongs", "call", key.label());
    }

    private CallKey numbers(GroupKey group) {
        String name = text(FrameCodec.MAX_NAME_BYTES);
        long step = step();
        long ticket = zigzag();
        int ordinal = ordinal();
        int tag = ordinal == MESSAGE ? integer(zigzag(), "tag") : 0;
        int source = ordinal == MESSAGE ? integer(zigzag(), "source") : 0;
        int destination = ordinal == MESSAGE ? ordinal() : 0;
        around = null;
        readRuns(group, bounded(Enclosure.MOST_DEEP, "runs"));
        if (ordinal == MESSAGE) {
            return new CallKey.Message(
                    group.generation(), group.id(), step, name, tag, source, destination, ticket, around);
        }
        return new CallKey.Ticket(group.generation(), group.id(), step, name, ticket, ordinal, around);
    }

    /** @param left how many runs are still to be read, from the inside out */
    private void readRuns(GroupKey enclosed, int left) {
        if (left > 0 && flag("same")) {
            readRun(enclosed, left);
        } else if (left > 0) {
            readRun(group(), left);
        }
    }

    private void readRun(GroupKey group, int left) {
        String name = text(FrameCodec.MAX_NAME_BYTES);
        long step = step();
        long ticket = zigzag();
        int ordinal = ordinal();
        String words = text(MAX_TEXT_BYTES);
        readRuns(group, left - 1);
        around = new Enclosure(
                new CallKey.Ticket(group.generation(), group.id(), step, name, ticket, ordinal, around),
                NO_OPERATION,
                words);
    }

    private Signature signature() {
        int operation = in.get();
        int type = in.get();
        if (operation < 0 || operation >= OPERATIONS.length) {
            throw unknown("operation", operation, OPERATIONS.length);
        }
        long count = zigzag();
        int root = integer(zigzag(), "root");
        String reduction = text(FrameCodec.MAX_REDUCTION_BYTES);
        return new Signature(
                OPERATIONS[operation], type(type), count, root, reduction.isEmpty() ? null : reduction, in.getLong());
    }

    private static DType type(int code) {
        try {
            return DType.ofWireCode(code);
        } catch (IllegalArgumentException e) {
            throw broken("unknown element type", "dtype", code);
        }
    }

    private Failure failure() {
        int kind = in.get();
        if (kind < 0 || kind >= FAILURES.length) {
            throw unknown("failure", kind, FAILURES.length);
        }
        int culprit = integer(zigzag(), "culprit");
        List<Integer> missing = ranks(MAX_MISSING);
        return new Failure(FAILURES[kind], culprit, text(MAX_TEXT_BYTES), missing);
    }

    private List<Integer> ranks(int most) {
        int count = bounded(Math.min(most, in.remaining()), "ranks");
        List<Integer> ranks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ranks.add(bounded(worldSize - 1, "rank"));
        }
        return ranks;
    }

    private String text(int most) {
        int length = bounded(most, "textBytes");
        if (length > in.remaining()) {
            throw broken("text cut short", "textBytes", length);
        }
        ByteBuffer bytes = in.slice(in.position(), length);
        in.position(in.position() + length);
        try {
            return UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw broken("text is not UTF-8", "textBytes", length);
        }
    }

    private int bounded(int most, String field) {
        long value = number();
        if (value < 0 || value > most) {
            throw broken("out of range", field, value + ", most=" + most);
        }
        return (int) value;
    }

    private static int integer(long value, String field) {
        if (value != (int) value) {
            throw broken("out of range", field, value);
        }
        return (int) value;
    }

    private long zigzag() {
        long value = number();
        return (value >>> 1) ^ -(value & 1);
    }

    private long number() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw broken("more than 64 bits", "number", value);
    }

    private static ProtocolException unknown(String field, long value, int known) {
        return broken("unknown " + field, field, value + ", known=" + known);
    }

    private static ProtocolException broken(String what, String field, Object value) {
        return new ProtocolException("broken notice, " + what + ": " + field + "=" + value);
    }
}
