package io.reactivecomm.sequence;

import static io.reactivecomm.sequence.NoticeLayout.*;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
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
        int wanted = switch (notice) {
            case Notice.Introduced introduced -> 5 * introduced.worldRanks().size();
            case Notice.Ready ready -> 3 * (ready.key().name().length() + ready.description().length() + 256);
            case Notice.Refused refused -> bound(refused.key(), refused.cause());
            case Notice.Failed failed -> bound(failed.key(), failed.cause());
            case Notice.Ended ended -> bound(null, ended.cause());
            case Notice.Asked asked -> 3 * asked.key().name().length();
            case Notice.Waiting waiting -> 3 * waiting.key().name().length() + 5 * waiting.missing().size() + MAX_TEXT_BYTES;
            case Notice.Batch batch -> batch.places().stream().mapToInt(NoticeWriter::bound).sum();
            case Notice.Left ignored -> 0;
        };
        return fixed + wanted;
    }

    private static int bound(CallKey.@Nullable Ticket key, Failure failure) {
        return (key == null ? 0 : 3 * key.name().length()) + 5 * failure.missing().size() + MAX_TEXT_BYTES;
    }

    private static int bound(NameReference place) {
        return 64 + (place instanceof NameReference.New fresh ? 3 * fresh.key().name().length() : 0);
    }

    private void put(Notice notice) {
        switch (notice) {
            case Notice.Introduced introduced -> {
                group(kind(INTRODUCED), introduced.group());
                ranks(introduced.worldRanks(), introduced.worldRanks().size());
            }
            case Notice.Ready ready -> {
                key(kind(READY), ready.key());
                zigzag(ready.priority());
                signature(ready.signature());
                text(ready.description());
            }
            case Notice.Refused refused -> failure(key(kind(REFUSED), refused.key()), refused.cause());
            case Notice.Failed failed -> failure(key(kind(FAILED), failed.key()), failed.cause());
            case Notice.Ended ended ->
                failure(group(kind(ENDED), ended.group()).put((byte) (ended.abandoned() ? 1 : 0)), ended.cause());
            case Notice.Asked asked -> key(kind(ASKED), asked.key());
            case Notice.Waiting waiting -> {
                key(kind(WAITING), waiting.key());
                ranks(waiting.missing(), MAX_MISSING);
                text(waiting.latest());
            }
            case Notice.Batch batch -> batch(batch);
            case Notice.Left ignored -> kind(LEFT);
        }
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
            out.put((byte) ((same ? SAME_GROUP : 0) | (place instanceof NameReference.New ? NEW : 0)));
            if (!same) {
                group(out, place.group());
            }
            switch (place) {
                case NameReference.New fresh -> nameAndNumbers(fresh.key());
                case NameReference.Again again -> {
                    number(again.slot());
                    zigzag(again.step());
                    number(again.ordinal());
                }
            }
        }
    }

    private ByteBuffer group(ByteBuffer into, GroupKey group) {
        number(group.generation());
        return into.putLong(group.id());
    }

    private ByteBuffer key(ByteBuffer into, CallKey.Ticket key) {
        group(into, GroupKey.of(key));
        nameAndNumbers(key);
        return into;
    }

    private void nameAndNumbers(CallKey.Ticket key) {
        text(key.name());
        zigzag(key.ticket());
        number(key.ordinal());
    }

    private void signature(Signature signature) {
        out.put((byte) signature.operation().ordinal()).put((byte) signature.type().wireCode());
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
