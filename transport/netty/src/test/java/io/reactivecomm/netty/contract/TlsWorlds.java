package io.reactivecomm.netty.contract;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.WorldContract;

/** Worlds over TCP on loopback, all of whose connections are encrypted. */
interface TlsWorlds extends TcpWorlds {

    @Override
    default WorldContract.World open(int size) {
        return ConnectedWorlds.open(TRANSPORT, size, config -> config.withEncryption(Encryption.EVERYWHERE));
    }
}
