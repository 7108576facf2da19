package io.reactivecomm.netty.internal.host;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.CommConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** The machine that this process runs on. */
public final class ThisHost {

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NETWORK = Path.of("/proc/self/ns/net");
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private ThisHost() {}

    /**
     * {@return what two processes have in common exactly if they share a machine}
     *
     * <p>The host name alone does not do: many machines are called {@code localhost}. The number that Linux draws at each start does not
     * do either: containers on one machine share it, and little else. Where the system has no such number it is the name.
     */
    public static String identity() {
        return (line(BOOT_ID) + " " + name()).trim();
    }

    /** {@return what tells the machine of a process from others: the name that its user gave, or else its own} */
    public static String identity(CommConfig config) {
        String given = config.hostId();
        return given == null ? identity() : given;
    }

    /** {@return a number that stands for an identity, and for no other in any world that there will be} */
    public static long number(String identity) {
        return ByteBuffer.wrap(digest(identity)).getLong();
    }

    /** {@return what stands for an identity without telling it} */
    public static byte[] digest(String identity) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(identity.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** {@return the space of addresses that this process's loopback is one of, or nothing if the system does not tell} */
    public static String network() {
        try {
            return Files.readSymbolicLink(NETWORK).toString();
        } catch (IOException e) {
            // Not Linux, or not shown.
            return "";
        }
    }

    /** {@return 16 bytes for the kernel and the network that this process runs in: two processes share a loopback only if theirs are equal} */
    public static byte[] networkDigest() {
        String kernel = line(BOOT_ID);
        return Arrays.copyOf(digest((kernel.isEmpty() ? name() : kernel) + " " + network()), 16);
    }

    private static String name() {
        String name = line(HOST_NAME);
        if (!name.isEmpty()) {
            return name;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private static String line(Path file) {
        try {
            return Files.readString(file).trim();
        } catch (IOException e) {
            // Not Linux.
            return "";
        }
    }
}
