package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The advice after a bind that failed, by its cause. */
class BindFailureTest {

    private static final int EADDRINUSE = 98;
    private static final int EACCES = 13;

    /** The errors of epoll are of a class that needs its natives. */
    @BeforeAll
    static void loadNatives() {
        assumeTrue(Epoll.isAvailable());
    }

    private static BindFailure of(String address, int port, Throwable cause, boolean hasIpv6) {
        return BindFailure.of(new InetSocketAddress(InetAddress.ofLiteral(address), port), cause, hasIpv6);
    }

    @Test
    void of_ipv6OnAMachineWithoutIt_namesTheFamily_notThePort() {
        assertThat(of("::1", 29500, new SocketException("Protocol family unavailable"), false))
                .isEqualTo(BindFailure.NO_IPV6);
        assertThat(of("2001:db8::1", 29500, new BindException("Cannot assign requested address"), false))
                .isEqualTo(BindFailure.NO_IPV6);
    }

    @Test
    void of_linkAddressWithoutZone_asksForTheInterface() {
        assertThat(of("fe80::1", 29500, new SocketException("Invalid argument"), true))
                .isEqualTo(BindFailure.NO_ZONE);
    }

    @Test
    void of_addressOfAnotherMachine_asksForOneOfThisMachine() {
        assertThat(of("2001:db8::1", 29500, new BindException("Cannot assign requested address"), true))
                .isEqualTo(BindFailure.NOT_OWN);
        assertThat(of("192.0.2.1", 80, new BindException("Cannot assign requested address"), true))
                .isEqualTo(BindFailure.NOT_OWN);
    }

    @Test
    void of_lowPortWithoutPermission_asksForAHigherOne() {
        assertThat(of("127.0.0.1", 80, new SocketException("Permission denied"), true))
                .isEqualTo(BindFailure.NOT_PERMITTED);
        assertThat(of("127.0.0.1", 80, new Errors.NativeIoException("bind", -EACCES), true))
                .isEqualTo(BindFailure.NOT_PERMITTED);
    }

    @Test
    void of_portInUse_asksForAnother() {
        assertThat(of("127.0.0.1", 29500, new Errors.NativeIoException("bind", -EADDRINUSE), true))
                .isEqualTo(BindFailure.IN_USE);
        assertThat(of("127.0.0.1", 80, new BindException("Address already in use"), true))
                .isEqualTo(BindFailure.IN_USE);
    }
}
