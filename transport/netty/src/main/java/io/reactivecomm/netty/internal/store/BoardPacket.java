package io.reactivecomm.netty.internal.store;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link BoardPage} as the value of a {@link StorePacket#PAGE}:
 *
 * <pre>
 *  0 +-----------------------------+-------------------------------+
 *    |         World size          |    Next page's first rank     |
 *  8 +-----------------------------+-------------------------------+
 *    |           Entries           |   then for each of them:
 *    +-----------------------------+-------------------------------+
 *    |            Rank             |    Present (1) or gone (0)    |
 *    +-----------------------------+-------------------------------+
 *    |              Milliseconds since its news                    |
 *    +-----------------------------+-------------------------------+
 *    |       Record's length       |   Record                     ...
 * </pre>
 */
final class BoardPacket {

    private static final int ENTRY_BYTES = 20;

    private BoardPacket() {}

    static byte[] encode(BoardPage page) {
        ByteBuf into = Unpooled.buffer()
                .writeIntLE(page.worldSize())
                .writeIntLE(page.next())
                .writeIntLE(page.entries().size());
        for (BoardPage.Entry entry : page.entries()) {
            into.writeIntLE(entry.rank())
                    .writeIntLE(entry.isPresent() ? 1 : 0)
                    .writeLongLE(entry.sinceMillis())
                    .writeIntLE(entry.record().length)
                    .writeBytes(entry.record());
        }
        return ByteBufUtil.getBytes(into);
    }

    /** @throws ProtocolException if that is no page */
    static BoardPage decode(byte[] bytes) {
        ByteBuf from = Unpooled.wrappedBuffer(bytes);
        if (bytes.length < 12) {
            throw new ProtocolException("page of a board cut short: bytes=" + bytes.length);
        }
        int worldSize = from.readIntLE();
        int next = from.readIntLE();
        int count = from.readIntLE();
        boolean isPossible =
                worldSize >= 0 && worldSize <= Roster.MAX_WORLD_SIZE && count >= 0 && count <= Roster.MAX_WORLD_SIZE;
        if (!isPossible || next < BoardPage.LAST) {
            throw new ProtocolException(
                    "impossible page of a board: worldSize=" + worldSize + ", next=" + next + ", entries=" + count);
        }
        List<BoardPage.Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(from, i));
        }
        return new BoardPage(worldSize, entries, next);
    }

    private static BoardPage.Entry entry(ByteBuf from, int number) {
        if (from.readableBytes() < ENTRY_BYTES) {
            throw new ProtocolException(
                    "page of a board cut short: entry=" + number + ", there=" + from.readableBytes());
        }
        int rank = from.readIntLE();
        boolean isPresent = from.readIntLE() == 1;
        long since = from.readLongLE();
        int length = from.readIntLE();
        if (length < 0 || length > Math.min(JobBoard.MAX_RECORD_BYTES, from.readableBytes())) {
            throw new ProtocolException("record of a board of impossible length: rank=" + rank + ", length=" + length
                    + ", there=" + from.readableBytes());
        }
        byte[] record = new byte[length];
        from.readBytes(record);
        return new BoardPage.Entry(rank, isPresent, since, record);
    }
}
