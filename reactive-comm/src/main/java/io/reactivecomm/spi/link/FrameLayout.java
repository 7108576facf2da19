package io.reactivecomm.spi.link;

/**
 * The place of each field of a {@link Frame} on the wire. The sender writes every field; all numbers are little-endian and two's
 * complement; texts are UTF-8. Fixed fields are aligned to their width from the frame's first byte, bytes of any length come last and
 * are not padded. Reserved bytes are zero, and a receiver refuses others.
 *
 * <p>Every frame begins with its header:
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |              Length (of the frame with its header)            |
 *  +---------------+-----------------------------------------------+
 *  |     Type      |                   Reserved                    |
 *  +---------------+-----------------------------------------------+
 *  |                        Body (see below)                      ...
 * </pre>
 *
 * <p>{@code DATA}; what a link puts behind its payload is the link's own, and not in the length. {@code WITHDRAWN} is the same without a
 * payload, {@code DROPPED} too with the call in the grant's
 * place, {@code LEAVE} with the group, {@code TAKEN} with a number of bytes:
 *
 * <pre>
 *  8 +-------------------------------------------------------------+
 *    |                            Grant                            |
 *    |                                                             |
 * 16 +-------------------------------------------------------------+
 *    |                      Payload (DATA only)                   ...
 * </pre>
 *
 * <p>{@code GRANT}:
 *
 * <pre>
 *  8 +-------------------------------------------------------------+
 *    |                            Call                             |
 * 16 +-------------------------------------------------------------+
 *    |                            Grant                            |
 * 24 +-------------------------------------------------------------+
 *    |                        From (element)                       |
 * 32 +-----------------------------+-------------------------------+
 *    |            Edge             |       Count (elements)        |
 * 40 +-----------------------------+-------------------------------+
 * </pre>
 *
 * <p>{@code OPEN}; {@code ANNOUNCE} is the call and one edge:
 *
 * <pre>
 *  8 +-------------------------------------------------------------+
 *    |                            Call                             |
 * 16 +-------------------------------------------------------------+
 *    |                   Peer's call (0: unknown)                  |
 * 24 +-------------------------------------------------------------+
 *    |                          Outgoing                           |
 * 32 +-------------------------------------------------------------+
 *    |                          Incoming                           |
 * 40 +-------------------------------------------------------------+
 *    |                            Site                             |
 * 48 +---------+---------+---------+---------+---------------------+
 *    |Operation|  DType  |Reduction|Reserved |        Root         |
 *    |         |         |  length |         |                     |
 * 56 +---------+---------+---------+---------+---------------------+
 *    |             Count (elements; −1: parts differ)              |
 * 64 +-------------------------------------------------------------+
 *    |                          Partition                          |
 * 72 +-----------------------------+-------------------------------+
 *    |       Number of edges       |           Reserved            |
 * 80 +-----------------------------+-------------------------------+
 *    |                Key, then reduction, then edges             ...
 *
 *    an edge
 *  0 +-------------------------------------------------------------+
 *    |                      Ready (elements)                       |
 *  8 +-----------------------------+-------------------------------+
 *    |            Edge             |         Eager length          |
 * 16 +-----------------------------+-------------------------------+
 *    |                         Eager bytes                        ...
 * </pre>
 *
 * <p>{@code RUN}: openings that follow the last one on this direction of the link, each with the next number, the next ticket and bytes of
 * its own. All else, also which edge is ready and how much of it, is as in that one:
 *
 * <pre>
 *  8 +-----------------------------+-------------------------------+
 *    |      Number of openings     |   Eager length (of each)      |
 * 16 +-----------------------------+-------------------------------+
 *    |                   Peer's call (0: unknown)                  |
 *    |                         Eager bytes                        ...  as often as there are openings
 * </pre>
 *
 * <p>A key; {@code DISPUTE} is a key and no more:
 *
 * <pre>
 *  0 +---------+---------+-------------------+---------------------+
 *    |  Kind   |  Parts  |    Name length    |     Generation      |
 *  8 +---------+---------+-------------------+---------------------+
 *    |                            Group                            |
 * 16 +-------------------------------------------------------------+
 *    |                      Ticket or number                       |
 * 24 +-----------------------------+-------------------------------+
 *    |       Ordinal or tag        |    Source (0 in a ticket)     |
 * 32 +-----------------------------+-------------------------------+
 *    |  Destination (0: ticket)    |           Reserved            |
 * 40 +-----------------------------+-------------------------------+
 *    |        Name, then the step and the enclosure if there      ...
 *
 *    Parts: 1 if there is an enclosure, plus 2 if there is a step
 *
 *    an enclosure
 *  0 +-------------------------------------------------------------+
 *    |                  Operation of the composite                 |
 *  8 +-------------------------------------------------------------+
 *    |                        Key of its run                      ...
 * </pre>
 *
 * <p>A failure; {@code ABORT} is a key and a failure, {@code GROUP_ABORT} a group and a failure:
 *
 * <pre>
 *  0 +-----------------------------+-------------------------------+
 *    |            Kind             |            Culprit            |
 *  8 +-----------------------------+-------------------------------+
 *    |   Number of missing ranks   |          Text length          |
 * 16 +-----------------------------+-------------------------------+
 *    |                 Missing ranks, then the text               ...
 * </pre>
 *
 * <p>{@code LOST}, {@code CUT}, {@code WANTED}, {@code QUERY}, {@code STATUS} and {@code PERFORMS}; {@code GOODBYE} and {@code KNOCK} have no body:
 *
 * <pre>
 *    LOST
 *  8 +-----------------------------+-------------------------------+
 *    |            Rank             |         Cause length          |
 * 16 +-----------------------------+-------------------------------+
 *    |                            Cause                           ...
 *
 *    CUT
 *  8 +-----------------------------+-------------------------------+
 *    |             One             |             Other             |
 * 16 +-----------------------------+-------------------------------+
 *    |        Cause length         |           Reserved            |
 * 24 +-----------------------------+-------------------------------+
 *    |                            Cause                           ...
 *
 *    WANTED
 *  8 +-------------------------------------------------------------+
 *    |                            Group                            |
 * 16 +-------------------------------------------------------------+
 *    |            Number (−1: not known, −2: from any)             |
 * 24 +-----------------------------+---------+---------+-----------+
 *    |             Tag             |  Parts  |Reserved |Name length|
 * 32 +-----------------------------+---------+---------+-----------+
 *    |        Name, then the step and the enclosure if there      ...
 *
 *    QUERY
 *  8 +-----------------------------+-------------------------------+
 *    |           Dispute           |           Reserved            |
 * 16 +-----------------------------+-------------------------------+
 *    |                             Key                            ...
 *
 *    STATUS
 *  8 +-----------------------------+-------------------------------+
 *    |            State            |         Issued length         |
 * 16 +-----------------------------+-------------------------------+
 *    |        Latest length        |            Dispute            |
 * 24 +-----------------------------+-------------------------------+
 *    |                 Key, then issued, then latest              ...
 *
 *    PERFORMS
 *  8 +-----------------------------+-------------------------------+
 *    |        Engine length        |           Reserved            |
 * 16 +-----------------------------+-------------------------------+
 *    |                    Key, then the engine                    ...
 * </pre>
 */
final class FrameLayout {

    static final int LENGTH_OFFSET = 0;
    static final int TYPE_OFFSET = 4;
    static final int RESERVED_OFFSET = 5;
    static final int HEADER_BYTES = 8;

    static final int DATA_GRANT_OFFSET = 8;
    static final int DATA_HEADER_BYTES = 16;

    static final int RUN_COUNT_OFFSET = 8;
    static final int RUN_EAGER_OFFSET = 12;
    static final int RUN_HEADER_BYTES = 16;

    /** Fixed parts, without the frame's header. */
    static final int NUMBER_BYTES = 8;

    static final int GRANT_BYTES = 32;
    static final int OPEN_BYTES = 72;
    static final int EDGE_BYTES = 16;
    static final int KEY_BYTES = 40;
    static final int FAILURE_BYTES = 16;
    static final int LOST_BYTES = 8;
    static final int CUT_BYTES = 16;
    static final int WANTED_BYTES = 24;
    static final int ENCLOSURE_BYTES = 8;
    static final int STEP_BYTES = 8;
    static final int QUERY_BYTES = 8;
    static final int STATUS_BYTES = 16;
    static final int PERFORMS_BYTES = 8;

    static final byte DATA = 1;
    static final byte WITHDRAWN = 2;
    static final byte DROPPED = 3;
    static final byte GRANT = 4;
    static final byte OPEN = 5;
    static final byte ANNOUNCE = 6;
    static final byte WANTED = 7;
    static final byte ABORT = 8;
    static final byte GROUP_ABORT = 9;
    static final byte LOST = 10;
    static final byte QUERY = 11;
    static final byte STATUS = 12;
    static final byte DISPUTE = 13;
    static final byte GOODBYE = 14;
    static final byte LEAVE = 15;
    static final byte RUN = 16;
    static final byte KNOCK = 17;
    static final byte TAKEN = 18;
    static final byte CUT = 19;
    static final byte PERFORMS = 20;

    /** The kinds of a key. */
    static final byte TICKET = 0;

    static final byte MESSAGE = 1;

    /** Says that an enclosure follows. */
    static final byte ENCLOSED = 1;

    /** Says that a step follows. */
    static final byte STEPPED = 2;

    private FrameLayout() {}
}
