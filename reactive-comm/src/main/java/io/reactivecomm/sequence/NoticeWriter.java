package io.reactivecomm.sequence;

import static io.reactivecomm.sequence.NoticeLayout.*;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.GroupKey;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes notices as {@link NoticeLayout} draws them. */
final class NoticeWriter {

    private static final int SEVEN_BITS = 0x7f;

    private final ByteBuffer out;

    private NoticeWriter(int lengthBytes) {
        this.out = ByteBuffer.allocate(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** {@return the notice with its length before it} */
    static byte[] bytes(Notice notice) {
        NoticeWriter writer = new NoticeWriter(bound(notice));
        writer.out.putInt(0);
        writer.put(notice);
        writer.out.putInt(0, writer.out.position() - LENGTH_BYTES);
        return Arrays.copyOf(writer.out.array(), writer.out.position());
    }

    /** {@return bytes in which the notice surely has room; three for each char of a text, ten for each number} */
    private static int bound(Notice notice) {
        int fixed = 256;
        int body = switch (notice) {
            case Notice.Introduced introduced ->
                5 * introduced.worldRanks().size() + 20 * introduced.parents().size();
            case Notice.Opening opening ->
                5 * (opening.worldRanks().size() + opening.openers().size());
            case Notice.Done ignored -> 0;
            case Notice.Closed ignored -> 0;
            case Notice.Freeing ignored -> 0;
            case Notice.Ready ready ->
                bound(ready.key())
                        + 3 * (ready.description().length() + 256)
                        + 13 * ready.exchanged().size();
            case Notice.Refused refused -> bound(refused.key(), refused.cause());
            case Notice.Failed failed -> bound(failed.key(), failed.cause());
            case Notice.Ended ended -> bound(null, ended.cause());
            case Notice.Over over -> bound(over.run(), over.cause());
            case Notice.LeftOut leftOut -> bound(leftOut.key(), leftOut.cause());
            case Notice.SentElsewhere sent -> bound(sent.message(), sent.cause());
            case Notice.Asked asked -> bound(asked.key());
            case Notice.Wanted asked -> bound(asked.key());
            case Notice.Assembled assembled -> bound(assembled.key());
            case Notice.Waiting waiting ->
                bound(waiting.key()) + 5 * waiting.missing().size() + MAX_TEXT_BYTES;
            case Notice.Batch batch ->
                batch.places().stream().mapToInt(NoticeWriter::bound).sum();
            case Notice.Left left -> left.cause() == null ? 0 : bound(null, left.cause());
        };
        return fixed + body;
    }

    private static int bound(@Nullable CallKey key, Failure failure) {
        return (key == null ? 0 : bound(key)) + 5 * failure.missing().size() + MAX_TEXT_BYTES;
    }

    private static int bound(NameReference place) {
        return 64
                + switch (place) {
                    case NameReference.New fresh -> bound(fresh.key());
                    case NameReference.Paired paired -> bound(paired.end());
                    case NameReference.Again again -> 20 * again.runs().size();
                };
    }

    private static int bound(CallKey key) {
        int wanted = 3 * key.name().length();
        for (Enclosure each = key.enclosure(); each != null; each = each.outer()) {
            wanted += 64 + 3 * (each.run().name().length() + each.words().length());
        }
        return wanted;
    }

    private void put(Notice notice) {
        switch (notice) {
            case Notice.Introduced introduced -> {
                group(kind(INTRODUCED), introduced.group());
                ranks(introduced.worldRanks(), introduced.worldRanks().size());
                number(introduced.parents().size());
                introduced.parents().forEach(parent -> group(out, parent));
            }
            case Notice.Opening opening -> opening(opening);
            case Notice.Done done -> numbered(DONE, done.number(), done.group());
            case Notice.Closed closed -> group(kind(CLOSED), closed.group());
            case Notice.Freeing freeing -> numbered(FREEING, freeing.number(), freeing.group());
            case Notice.Ready ready -> {
                key(kind(READY), ready.key());
                zigzag(ready.priority());
                flag(out, ready.sharesMemory());
                signature(ready.signature());
                text(ready.description());
                exchanged(ready.exchanged());
            }
            case Notice.Refused refused -> failure(key(kind(REFUSED), refused.key()), refused.cause());
            case Notice.Failed failed -> {
                key(kind(FAILED), failed.key());
                number(failed.level());
                failure(out, failed.cause());
            }
            case Notice.Ended ended ->
                failure(
                        flag(flag(group(kind(ENDED), ended.group()), ended.abandoned()), ended.byEngine()),
                        ended.cause());
            case Notice.Asked asked -> key(kind(ASKED), asked.key());
            case Notice.Waiting waiting -> {
                key(kind(WAITING), waiting.key());
                ranks(waiting.missing(), MAX_MISSING);
                text(waiting.latest());
                flag(out, waiting.isOrder());
            }
            case Notice.Batch batch -> batch(batch);
            case Notice.Left left -> left(left.cause());
            case Notice.LeftOut leftOut -> failure(key(kind(LEFT_OUT), leftOut.key()), leftOut.cause());
            case Notice.SentElsewhere sent -> failure(key(kind(SENT_ELSEWHERE), sent.message()), sent.cause());
            case Notice.Wanted wanted -> key(kind(WANTED), wanted.key());
            case Notice.Assembled assembled -> key(kind(ASSEMBLED), assembled.key());
            case Notice.Over over -> failure(flag(key(kind(OVER), over.run()), over.failed()), over.cause());
        }
    }

    private void opening(Notice.Opening opening) {
        numbered(OPENING, opening.number(), opening.group());
        ranks(opening.worldRanks(), opening.worldRanks().size());
        GroupKey from = opening.from();
        flag(out, from != null);
        if (from != null) {
            group(out, from);
            ranks(opening.openers(), opening.openers().size());
        }
    }

    private void exchanged(Map<Integer, Long> exchanged) {
        number(exchanged.size());
        exchanged.forEach((rank, messages) -> {
            number(rank);
            out.putLong(messages);
        });
    }

    private void left(@Nullable Failure fault) {
        flag(kind(LEFT), fault != null);
        if (fault != null) {
            failure(out, fault);
        }
    }

    private void numbered(byte kind, long number, GroupKey group) {
        kind(kind);
        number(number);
        group(out, group);
    }

    private static ByteBuffer flag(ByteBuffer into, boolean isSet) {
        return into.put((byte) (isSet ? 1 : 0));
    }

    private ByteBuffer kind(byte kind) {
        return out.put(kind);
    }

    private void batch(Notice.Batch batch) {
        kind(BATCH);
        number(batch.number());
        number(batch.places().size());
        GroupKey before = null;
        for (NameReference place : batch.places()) {
            boolean same = place.group().equals(before);
            before = place.group();
            out.put((byte) ((same ? SAME_GROUP : 0) | flags(place)));
            if (!same) {
                group(out, place.group());
            }
            switch (place) {
                case NameReference.New fresh -> numbers(fresh.key(), false);
                case NameReference.Paired paired -> {
                    numbers(paired.end(), false);
                    number(paired.source());
                    zigzag(paired.number());
                }
                case NameReference.Again again -> again(again);
            }
        }
    }

    private static int flags(NameReference place) {
        return switch (place) {
            case NameReference.New ignored -> NEW;
            case NameReference.Paired ignored -> PAIRED;
            case NameReference.Again again ->
                (again.runs().isEmpty() ? 0 : ENCLOSED) | (again.steps() == 0 ? 0 : STEPPED);
        };
    }

    private void again(NameReference.Again again) {
        number(again.slot());
        zigzag(again.tickets());
        if (again.steps() != 0) {
            zigzag(again.steps());
        }
        number(again.ordinal());
        if (!again.runs().isEmpty()) {
            number(again.runs().size());
            for (NameReference.RunStep run : again.runs()) {
                zigzag(run.tickets());
                number(run.ordinal());
            }
        }
    }

    private ByteBuffer group(ByteBuffer into, GroupKey group) {
        number(group.generation());
        return into.putLong(group.id());
    }

    private ByteBuffer key(ByteBuffer into, CallKey key) {
        group(into, GroupKey.of(key));
        numbers(key, true);
        return into;
    }

    private static boolean isSameGroup(CallKey one, CallKey other) {
        return one.group() == other.group() && one.generation() == other.generation();
    }

    /** @param withWords whether it is said what the runs are that the call is in; who does not compare that need not know */
    private void numbers(CallKey key, boolean withWords) {
        nameAndNumbers(key);
        Enclosure enclosure = key.enclosure();
        number(enclosure == null ? 0 : enclosure.depth());
        CallKey inner = key;
        for (Enclosure each = enclosure; each != null; each = each.outer()) {
            boolean same = isSameGroup(each.run(), inner);
            inner = each.run();
            out.put((byte) (same ? 1 : 0));
            if (!same) {
                group(out, GroupKey.of(inner));
            }
            nameAndNumbers(each.run());
            text(withWords ? each.words() : "");
        }
    }

    private void nameAndNumbers(CallKey key) {
        text(key.name());
        zigzag(key.step());
        switch (key) {
            case CallKey.Ticket ticket -> {
                zigzag(ticket.ticket());
                number(ticket.ordinal());
            }
            case CallKey.Message message -> {
                zigzag(message.number());
                number(MESSAGE);
                zigzag(message.tag());
                zigzag(message.source());
                number(message.destination());
            }
        }
    }

    private void signature(Signature signature) {
        out.put((byte) signature.operation().ordinal())
                .put((byte) signature.type().wireCode());
        zigzag(signature.count());
        zigzag(signature.root());
        String reduction = signature.reduction();
        text(reduction == null ? "" : reduction);
        out.putLong(signature.partition());
    }

    private void failure(ByteBuffer into, Failure failure) {
        into.put((byte) failure.kind().ordinal());
        zigzag(failure.culprit());
        ranks(failure.missing(), MAX_MISSING);
        text(failure.text());
    }

    private void ranks(List<Integer> ranks, int most) {
        int count = Math.min(ranks.size(), most);
        number(count);
        for (int rank : ranks.subList(0, count)) {
            number(rank);
        }
    }

    /** Cuts a long text between two characters: only those for people are long, and the end of them is worth least. */
    private void text(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        int length = Math.min(bytes.length, MAX_TEXT_BYTES);
        while (length < bytes.length && (bytes[length] & 0xc0) == 0x80) {
            length--;
        }
        number(length);
        out.put(bytes, 0, length);
    }

    private void zigzag(long value) {
        number((value << 1) ^ (value >> 63));
    }

    private void number(long value) {
        long rest = value;
        while ((rest & ~SEVEN_BITS) != 0) {
            out.put((byte) (rest & SEVEN_BITS | ~SEVEN_BITS));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }
}
