package io.reactivecomm.netty.internal.connection;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;

/** Somebody between a dialer and a listener who has all that both have but the token. Takes one connection. */
final class Proxy implements AutoCloseable {

    /** The packets of a greeting. */
    enum Packet {
        HELLO(Handshake.HELLO),
        CHALLENGE(Handshake.CHALLENGE),
        KNOCK(Handshake.KNOCK),
        PROOF(Handshake.PROOF);

        private final byte type;

        Packet(byte type) {
            this.type = type;
        }

        boolean isTypeOf(byte[] packet) {
            return packet[PacketDecoder.TYPE_OFFSET] == type;
        }
    }

    /** A fault in the records of an admitted connection. */
    enum Damage {
        FLIPPED,
        CUT,
        SWAPPED,
        REPEATED,
        LOST
    }

    /** One who does something to the two connections, on a thread of the test's own. */
    private interface Conduct {

        void meet(Socket dialer, Socket listener) throws Exception;
    }

    private final ServerSocket socket;
    private final InetSocketAddress listener;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<byte[]> fromDialer = new CopyOnWriteArrayList<>();
    private volatile Damage damage;
    private volatile boolean relayedProof;

    private Proxy(InetSocketAddress listener) throws IOException {
        this.listener = listener;
        socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    List<byte[]> fromDialer() {
        return fromDialer;
    }

    boolean hasRelayedProof() {
        return relayedProof;
    }

    void damageNext(Damage next) {
        damage = next;
    }

    private Proxy running(Conduct conduct) {
        thread(() -> {
            Socket dialer = socket.accept();
            open.add(dialer);
            Socket behind = new Socket(listener.getAddress(), listener.getPort());
            open.add(behind);
            conduct.meet(dialer, behind);
        });
        return this;
    }

    /** A body of a thread. */
    private interface Body {

        void run() throws Exception;
    }

    private static void thread(Body body) {
        Thread.ofPlatform().daemon().name("proxy").start(() -> {
            try {
                body.run();
            } catch (IOException e) {
                // One of the two has gone.
            } catch (Exception e) {
                throw new IllegalStateException("the proxy failed", e);
            }
        });
    }

    /** {@return one packet} */
    static byte[] read(InputStream from) throws IOException {
        DataInputStream in = new DataInputStream(from);
        byte[] header = new byte[4];
        in.readFully(header);
        int length = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt();
        byte[] packet = new byte[length];
        System.arraycopy(header, 0, packet, 0, 4);
        in.readFully(packet, 4, length - 4);
        return packet;
    }

    /** Relays all; remembers the packets of a plain greeting, and damages records if it is asked to. */
    static Proxy relay(InetSocketAddress listener) throws IOException {
        Proxy proxy = new Proxy(listener);
        return proxy.running((dialer, behind) -> {
            thread(() -> behind(behind.getInputStream(), dialer.getOutputStream()));
            for (int i = 0; i < 2; i++) {
                behind.getOutputStream().write(proxy.remember(read(dialer.getInputStream())));
            }
            proxy.records(dialer.getInputStream(), behind);
        });
    }

    private byte[] remember(byte[] packet) {
        fromDialer.add(packet);
        return packet;
    }

    private static void behind(InputStream from, OutputStream to) throws IOException {
        from.transferTo(to);
    }

    /** Relays units, which begin with a length: packets of plaintext or records of TLS. */
    private void records(InputStream from, Socket behind) throws IOException {
        OutputStream to = behind.getOutputStream();
        byte[] held = null;
        while (true) {
            byte[] unit = unit(from);
            Damage now = damage;
            if (now == null) {
                to.write(unit);
                continue;
            }
            switch (now) {
                case FLIPPED -> unit[unit.length - 1] ^= 1;
                case CUT -> {
                    to.write(unit, 0, unit.length / 2);
                    behind.close();
                    return;
                }
                case SWAPPED -> {
                    if (held == null) {
                        held = unit;
                        continue;
                    }
                    to.write(unit);
                    unit = held;
                }
                case REPEATED -> to.write(unit);
                case LOST -> {
                    if (held == null) {
                        held = unit;
                        continue;
                    }
                }
            }
            to.write(unit);
        }
    }

    private byte[] unit(InputStream from) throws IOException {
        DataInputStream in = new DataInputStream(from);
        byte[] header = new byte[5];
        in.readFully(header);
        // The first byte of a record is its type, which no packet of a greeting has for its length.
        boolean isRecord = header[1] == 3 && header[2] == 3;
        int length = isRecord
                ? 5 + ((header[3] & 0xff) << 8 | header[4] & 0xff)
                : ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt();
        byte[] unit = new byte[length];
        System.arraycopy(header, 0, unit, 0, 5);
        in.readFully(unit, 5, length - 5);
        return isRecord ? unit : remember(unit);
    }

    /** Changes one bit of a packet. */
    static Proxy altering(InetSocketAddress listener, Packet packet, int at) throws IOException {
        Proxy proxy = new Proxy(listener);
        return proxy.running((dialer, behind) -> {
            thread(() -> packets(behind, dialer, packet, at));
            packets(dialer, behind, packet, at);
        });
    }

    private static void packets(Socket from, Socket to, Packet altered, int at) throws IOException {
        while (true) {
            byte[] packet = read(from.getInputStream());
            if (altered.isTypeOf(packet)) {
                packet[at] ^= 1;
            }
            to.getOutputStream().write(packet);
        }
    }

    /** Sends a packet of the dialer's back to it, as the answer that it waits for. */
    static Proxy reflecting(InetSocketAddress listener, Packet packet) throws IOException {
        Proxy proxy = new Proxy(listener);
        return proxy.running((dialer, behind) -> {
            while (true) {
                byte[] said = read(dialer.getInputStream());
                if (packet.isTypeOf(said)) {
                    dialer.getOutputStream().write(answer(said));
                }
                behind.getOutputStream().write(said);
                if (!packet.isTypeOf(said)) {
                    dialer.getOutputStream().write(read(behind.getInputStream()));
                }
            }
        });
    }

    private static byte[] answer(byte[] said) {
        if (Packet.HELLO.isTypeOf(said)) {
            byte[] challenge = said.clone();
            challenge[PacketDecoder.TYPE_OFFSET] = Handshake.CHALLENGE;
            return challenge;
        }
        ByteBuffer admitted = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        return admitted.putInt(40)
                .put(Handshake.ADMITTED)
                .put(new byte[3])
                .put(said, said.length - 32, 32)
                .array();
    }

    /** Speaks TLS with both, and relays what it reads. */
    static Proxy intercepting(InetSocketAddress listener) throws IOException {
        Proxy proxy = new Proxy(listener);
        return proxy.running((dialer, behind) -> {
            greet(dialer, behind);
            Channel towardsDialer = new Channel(dialer, Tls.engine(false));
            Channel towardsListener = new Channel(behind, Tls.engine(true));
            towardsListener.write(proxy.seen(read(towardsDialer)));
            towardsDialer.write(read(towardsListener));
        });
    }

    /** Speaks TLS with the dialer, and answers its proof with one of its own. */
    static Proxy impersonating(InetSocketAddress listener) throws IOException {
        Proxy proxy = new Proxy(listener);
        return proxy.running((dialer, behind) -> {
            greet(dialer, behind);
            Channel towardsDialer = new Channel(dialer, Tls.engine(false));
            towardsDialer.write(answer(read(towardsDialer)));
        });
    }

    private static void greet(Socket dialer, Socket behind) throws IOException {
        behind.getOutputStream().write(read(dialer.getInputStream()));
        dialer.getOutputStream().write(read(behind.getInputStream()));
        behind.getOutputStream().write(read(dialer.getInputStream()));
        dialer.getOutputStream().write(read(behind.getInputStream()));
    }

    private byte[] seen(byte[] packet) {
        relayedProof = Packet.PROOF.isTypeOf(packet);
        return packet;
    }

    /** One end of TLS over a socket that blocks. */
    private static final class Channel extends InputStream {

        private final Socket socket;
        private final SSLEngine engine;
        private final ByteBuffer in = ByteBuffer.allocate(64 * 1024).flip();
        private final ByteBuffer plain = ByteBuffer.allocate(64 * 1024).flip();

        Channel(Socket socket, SSLEngine engine) throws IOException {
            this.socket = socket;
            this.engine = engine;
            engine.beginHandshake();
            while (engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING) {
                step();
            }
        }

        private void step() throws IOException {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> {
                    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                        task.run();
                    }
                }
                case NEED_WRAP -> wrap(ByteBuffer.allocate(0));
                default -> unwrap();
            }
        }

        private void wrap(ByteBuffer from) throws IOException {
            ByteBuffer out = ByteBuffer.allocate(64 * 1024);
            engine.wrap(from, out);
            socket.getOutputStream().write(out.array(), 0, out.position());
        }

        private void unwrap() throws IOException {
            plain.compact();
            SSLEngineResult result = engine.unwrap(in, plain);
            plain.flip();
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                in.compact();
                int read = socket.getInputStream().read(in.array(), in.position(), in.remaining());
                if (read < 0) {
                    throw new IOException("the end of the stream");
                }
                in.position(in.position() + read).flip();
            }
        }

        void write(byte[] bytes) throws IOException {
            wrap(ByteBuffer.wrap(bytes));
        }

        @Override
        public int read() throws IOException {
            while (!plain.hasRemaining()) {
                step();
            }
            return plain.get() & 0xff;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
            List<Socket> all = new ArrayList<>(open);
            for (Socket each : all) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
