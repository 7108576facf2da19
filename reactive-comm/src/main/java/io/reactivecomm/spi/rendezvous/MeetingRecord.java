package io.reactivecomm.spi.rendezvous;

import io.reactivecomm.StoreAddress;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The word of one rank in one round of a meeting by {@link io.reactivecomm.Meeting}, which {@link MeetingCodec} writes and reads. */
public sealed interface MeetingRecord {

    /** Rounds of a meeting. */
    int ROUNDS = 2;

    /** {@return the rank that says it, by the all-gather's own count} */
    int rank();

    /** {@return the number of ranks, by the all-gather's own count} */
    int size();

    /**
     * The presentation of a rank, in the first round.
     *
     * @param machine what is alike for ranks of one machine alone, {@link MeetingCodec#MACHINE_CHARS} long
     * @param plaintext whether the user accepts unencrypted links beyond the host
     * @param token whether the rank was given a token
     * @param addresses of the machine, beyond loopback, the first {@link MeetingCodec#MAX_ADDRESSES}
     */
    record Hello(int rank, int size, String machine, boolean plaintext, boolean token, List<InetAddress> addresses)
            implements MeetingRecord {

        public Hello {
            addresses = List.copyOf(addresses);
        }
    }

    /**
     * The place of the store, which rank 0 says in the second round.
     *
     * @param address where it listens
     * @param port where it listens
     * @param token the secret that admits to it, or null if all ranks are given one
     */
    record Store(
            int rank,
            int size,
            InetAddress address,
            int port,
            @Nullable String token) implements MeetingRecord {

        /** Hides the token. */
        @Override
        public String toString() {
            return "Store[rank=" + rank + ", size=" + size + ", address="
                    + StoreAddress.hostAndPort(address.getHostAddress(), port) + "]";
        }
    }

    /** The consent of another rank, in the second round. */
    record Ready(int rank, int size) implements MeetingRecord {}

    /**
     * The reason for which there will be no world, in either round.
     *
     * @param culprit the rank that found it
     * @param text the reason, of which {@link MeetingCodec#MAX_TEXT_BYTES} are told
     */
    record Failure(int rank, int size, int culprit, String text) implements MeetingRecord {}
}
