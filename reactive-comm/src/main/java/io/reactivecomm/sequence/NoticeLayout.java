package io.reactivecomm.sequence;

import io.reactivecomm.spi.link.FrameCodec;

/**
 * The layout of a {@link Notice} in memory. The sender writes every field. Numbers are little-endian, <i>var</i> is a number in as many
 * bytes as it needs (seven bits each, least first, the eighth says that more follow). It is zigzag where it may be negative. A text is its
 * length as a var and then UTF-8.
 *
 * <pre>
 *   0               4       5
 *   +---------------+-------+-----------------------------------------------------------+
 *   | length of     | kind  | body                                                      |
 *   | what follows  |       |                                                           |
 *   +---------------+-------+-----------------------------------------------------------+
 *
 *   INTRODUCED   group, count var, world rank var each, count var, parent group each
 *   READY        key, priority zigzag, shares memory byte, signature, description text, count var, for each rank with which a scope exchanges messages its
 *                world rank var, 64 bits
 *   REFUSED      key, failure
 *   FAILED       key, level var, failure
 *   ENDED        group, abandoned byte, by engine byte, failure
 *   ASKED        key
 *   WAITING      key, count var, world rank var each, latest text, is order byte
 *   BATCH        number var, count var, places
 *   LEFT         fault byte, and if that is 1: failure
 *   WANTED       key
 *   ASSEMBLED    key
 *   OVER         key of the run, failed byte, failure
 *   LEFT_OUT     key, failure
 *   SENT_ELSEWHERE  key, failure
 *   OPENING      number var, group, count var, world rank var each, split byte, and if that is 1: group, count var, world rank var each
 *   DONE         number var, group
 *   CLOSED       group
 *   FREEING      number var, group
 *
 *   group        generation var, id 64 bits
 *   key          group, numbers
 *   numbers      name text, step zigzag, ticket zigzag, ordinal var, count var, runs that the call is in, the innermost first;
 *                of a message its number is the ticket, the ordinal is 0, and before the runs come tag zigzag, source zigzag (-1: any),
 *                destination var
 *   run          same byte (1: of the group of what it encloses), else group, name text, step zigzag, ticket zigzag, ordinal var,
 *                words text
 *   signature    operation byte, type byte, count zigzag, root zigzag, reduction text (empty: none), cut 64 bits
 *   failure      kind byte, culprit zigzag, count var, missing rank var each, text
 *   place        flags byte, group unless SAME_GROUP is set, then
 *                    PAIRED: numbers of the receiver's end as it calls it, source var, number zigzag
 *                    NEW: numbers, without words      else: slot var, tickets zigzag, if STEPPED is set: steps zigzag, ordinal var,
 *                                            and if ENCLOSED is set: count var, and for each run tickets zigzag, ordinal var
 * </pre>
 *
 * <p>So a call that recurs costs 4 bytes in a batch that has others of its group: flags, slot, tickets, ordinal. In a composite call it costs 3
 * more, and 2 for each further one around that.
 */
final class NoticeLayout {

    static final int LENGTH_BYTES = 4;

    /** The longest notice. A batch of names of the greatest length fits, and so do the ranks of a world of a hundred thousand. */
    static final int MAX_BYTES = 512 * 1024;

    /** The most names in a batch: each call has its own, and those of the composite calls that it is in. */
    static final int MAX_PLACES = 128;

    /** The most ranks that a failure or an answer lists; more are left out. */
    static final int MAX_MISSING = FrameCodec.MAX_MISSING;

    /** The most ranks of which an answer says what they issued last. */
    static final int MAX_TOLD = 16;

    /** The longest text for people, in bytes; longer ones are cut. */
    static final int MAX_TEXT_BYTES = FrameCodec.MAX_TEXT_BYTES;

    static final byte INTRODUCED = 1;
    static final byte READY = 2;
    static final byte REFUSED = 3;
    static final byte FAILED = 4;
    static final byte ENDED = 5;
    static final byte ASKED = 6;
    static final byte WAITING = 7;
    static final byte BATCH = 8;
    static final byte LEFT = 9;
    static final byte WANTED = 10;
    static final byte OVER = 11;
    static final byte ASSEMBLED = 12;
    static final byte LEFT_OUT = 13;
    static final byte OPENING = 14;
    static final byte DONE = 15;
    static final byte CLOSED = 16;
    static final byte FREEING = 17;
    static final byte SENT_ELSEWHERE = 18;

    /** A place's flag: of the same group as the one before it in the batch. */
    static final int SAME_GROUP = 1;

    /** A place's flag: a {@link NameReference.New}. */
    static final int NEW = 2;

    /** A place's flag: a {@link NameReference.Again} of a call in a composite call. */
    static final int ENCLOSED = 4;

    /** A place's flag: a {@link NameReference.Again} of a call of another step than the one before it. */
    static final int STEPPED = 8;

    /** A place's flag: a {@link NameReference.Paired}. */
    static final int PAIRED = 16;

    /** The ordinal of a message, which no collective has. */
    static final int MESSAGE = 0;

    private NoticeLayout() {}
}
