package io.reactivecomm.netty;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** IPv6 on this machine. */
final class Ipv6 {

    private Ipv6() {}

    /** {@return why nothing can listen on its loopback, or null if it can} */
    static String refusal() {
        return refusal("::1");
    }

    /** {@return why nothing can listen on that address, or null if it can} */
    static String refusal(String address) {
        try (ServerSocket ignored = new ServerSocket(0, 1, InetAddress.ofLiteral(address))) {
            return null;
        } catch (IOException e) {
            return "this machine has no " + address + ": " + e.getMessage();
        }
    }
}
