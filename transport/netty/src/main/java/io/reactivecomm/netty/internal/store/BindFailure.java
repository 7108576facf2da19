package io.reactivecomm.netty.internal.store;

import io.netty.channel.unix.Errors;
import io.reactivecomm.netty.internal.host.Addresses;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;

/** The reason why the store cannot listen at an address, and what the user can do. */
enum BindFailure {
    NO_IPV6(
            "this machine, or this JVM by -Djava.net.preferIPv4Stack=true, has no IPv6: set MASTER_ADDR to an address of IPv4, such as 127.0.0.1"),
    NO_ZONE("an address of one link needs its interface: set MASTER_ADDR to ADDRESS%INTERFACE, or to another address"),
    NOT_OWN("set MASTER_ADDR to an address of the machine that runs rank 0"),
    NOT_PERMITTED("ports below 1024 need a permission: choose a MASTER_PORT from 1024 on"),
    IN_USE("choose another MASTER_PORT, or stop the program that holds it");

    /** EACCES on Linux. */
    private static final int NO_ACCESS = 13;

    private static final int FIRST_FREE_PORT = 1024;

    private final String remedy;

    BindFailure(String remedy) {
        this.remedy = remedy;
    }

    /**
     * {@return the reason, which follows from the address and the type of the error}
     *
     * @param hasIpv6 whether this machine has addresses of IPv6
     */
    static BindFailure of(InetSocketAddress at, Throwable cause, boolean hasIpv6) {
        InetAddress address = at.getAddress();
        if (address instanceof Inet6Address && !hasIpv6) {
            return NO_IPV6;
        }
        if (address instanceof Inet6Address six && six.isLinkLocalAddress() && six.getScopeId() == 0) {
            return NO_ZONE;
        }
        if (!Addresses.isOwn(address)) {
            return NOT_OWN;
        }
        return at.getPort() < FIRST_FREE_PORT && isDenied(cause) ? NOT_PERMITTED : IN_USE;
    }

    /** The JDK has an exception type for addresses that are in use or not local, but none for a missing permission. */
    private static boolean isDenied(Throwable cause) {
        return cause instanceof Errors.NativeIoException epoll
                ? Math.abs(epoll.expectedErr()) == NO_ACCESS
                : cause instanceof SocketException && !(cause instanceof BindException);
    }

    /** {@return what the user can do} */
    String remedy() {
        return remedy;
    }
}
