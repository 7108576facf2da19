package io.reactivecomm.netty.internal.connection;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * A program that prints the rates at which cores encrypt and decrypt records of TLS, on all of so many threads at once: what the cost of encrypted links is compared
 * with. Run with {@code --enable-native-access=ALL-UNNAMED}.
 */
final class TlsRates {

    private static final int WARM_UP = 30_000;
    private static final int ROUNDS = 60_000;

    private TlsRates() {}

    /** The nanoseconds of one thread. */
    private record Times(long wrapNanos, long unwrapNanos) {}

    /** @param args the number of threads */
    public static void main(String[] args) throws Exception {
        int threads = args.length == 0 ? 2 : Integer.parseInt(args[0]);
        CyclicBarrier start = new CyclicBarrier(threads);
        try (ExecutorService all = Executors.newFixedThreadPool(threads)) {
            List<Future<Times>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(all.submit(() -> measure(start)));
            }
            for (Future<Times> each : running) {
                double bytes = (double) ROUNDS * Sealing.RECORD_BYTES;
                System.out.printf(
                        "c_wrap=%.2f GB/s c_unwrap=%.2f GB/s%n",
                        bytes / each.get().wrapNanos, bytes / each.get().unwrapNanos);
            }
        }
    }

    private static Times measure(CyclicBarrier start) throws Exception {
        SSLEngine one = Tls.engine(true);
        SSLEngine other = Tls.engine(false);
        one.beginHandshake();
        other.beginHandshake();
        ByteBuffer there = ByteBuffer.allocateDirect(64 * 1024).flip();
        ByteBuffer back = ByteBuffer.allocateDirect(64 * 1024).flip();
        while (one.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING
                || other.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING
                || back.hasRemaining()) {
            step(one, back, there);
            step(other, there, back);
        }
        ByteBuffer plain = ByteBuffer.allocateDirect(Sealing.RECORD_BYTES);
        ByteBuffer record = ByteBuffer.allocateDirect(one.getSession().getPacketBufferSize());
        ByteBuffer result = ByteBuffer.allocateDirect(one.getSession().getApplicationBufferSize());
        times(one, other, List.of(plain, record, result), WARM_UP);
        start.await();
        return times(one, other, List.of(plain, record, result), ROUNDS);
    }

    private static Times times(SSLEngine one, SSLEngine other, List<ByteBuffer> buffers, int rounds)
            throws SSLException {
        long wrapNanos = 0;
        long unwrapNanos = 0;
        for (int i = 0; i < rounds; i++) {
            buffers.forEach(ByteBuffer::clear);
            long begun = System.nanoTime();
            one.wrap(buffers.get(0), buffers.get(1));
            long wrapped = System.nanoTime();
            SSLEngineResult last = other.unwrap(buffers.get(1).flip(), buffers.get(2));
            unwrapNanos += System.nanoTime() - wrapped;
            wrapNanos += wrapped - begun;
            if (last.bytesProduced() != Sealing.RECORD_BYTES) {
                throw new SSLException("a record of another size: produced=" + last.bytesProduced());
            }
        }
        return new Times(wrapNanos, unwrapNanos);
    }

    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> engine.getDelegatedTask().run();
            case NEED_WRAP -> {
                out.compact();
                engine.wrap(ByteBuffer.allocate(0), out);
                out.flip();
            }
            default -> {
                if (in.hasRemaining()) {
                    engine.unwrap(in, ByteBuffer.allocate(64 * 1024));
                }
            }
        }
    }
}
