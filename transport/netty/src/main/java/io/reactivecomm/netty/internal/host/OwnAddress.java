package io.reactivecomm.netty.internal.host;

import java.net.InetAddress;

/**
 * One address of this machine.
 *
 * @param interfaceName the interface that has it, as the system calls it
 * @param interfaceIndex the interface's number, by which the system counts them
 */
public record OwnAddress(String interfaceName, int interfaceIndex, InetAddress address) {}
