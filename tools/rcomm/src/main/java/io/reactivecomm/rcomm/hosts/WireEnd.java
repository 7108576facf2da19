package io.reactivecomm.rcomm.hosts;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One of the two ends of a wire that is measured: it sends and receives at the same time. */
final class WireEnd {

    /** What a cache holds. */
    private static final int CHUNK_BYTES = 256 << 10;

    private final SocketChannel socket;
    private final int bytes;

    WireEnd(SocketChannel socket, int bytes) throws IOException {
        this.socket = socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.bytes = bytes;
    }

    /** {@return how long each of so many rounds took until all was sent and all received} */
    List<Long> rounds(int rounds) throws IOException {
        List<Long> nanos = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            long begun = System.nanoTime();
            CompletableFuture<Void> sent = inThread(this::send);
            receive();
            sent.join();
            nanos.add(System.nanoTime() - begun);
        }
        return nanos;
    }

    private @Nullable Void send() throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        for (int left = bytes; left > 0; ) {
            chunk.clear().limit(Math.min(left, CHUNK_BYTES));
            left -= socket.write(chunk);
        }
        return null;
    }

    private void receive() throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        for (int left = bytes; left > 0; ) {
            chunk.clear().limit(Math.min(left, CHUNK_BYTES));
            int count = socket.read(chunk);
            if (count < 0) {
                throw new EOFException("the other end of the wire is gone: missingBytes=" + left);
            }
            left -= count;
        }
    }

    /** {@return the end of an action in a thread of its own} */
    static <T> CompletableFuture<T> inThread(Callable<T> action) {
        CompletableFuture<T> end = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rcomm-wire").start(() -> {
            try {
                end.complete(action.call());
            } catch (Exception e) {
                end.completeExceptionally(e);
            }
        });
        return end;
    }
}
