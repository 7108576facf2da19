package io.reactivecomm.netty;

import java.net.InetAddress;

/**
 * One address of this machine.
 *
 * @param interfaceName the interface that has it, as the system calls it
 * @param interfaceIndex the interface's number, by which the system counts them
 */
record OwnAddress(String interfaceName, int interfaceIndex, InetAddress address) {}
