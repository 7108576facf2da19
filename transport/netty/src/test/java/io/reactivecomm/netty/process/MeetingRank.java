package io.reactivecomm.netty.process;

import io.reactivecomm.CommConfig;
import io.reactivecomm.Meeting;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Scanner;

/**
 * A rank that meets the others by whoever reads its output and writes its input: it prints {@code record HEX}, and is answered with the records of all
 * ranks, one on each line. Then it prints {@code joined RANKS}, or {@code error MESSAGE}.
 *
 * <p>Arguments: rank, size.
 */
public final class MeetingRank {

    private static final Duration BOUND = Duration.ofSeconds(60);

    private MeetingRank() {}

    public static void main(String[] args) {
        int rank = Integer.parseInt(args[0]);
        int size = Integer.parseInt(args[1]);
        try (Scanner in = new Scanner(System.in)) {
            Meeting meeting = Meeting.blocking(rank, size, own -> gather(in, own, size));
            try (ProcessGroup world =
                    ReactiveComm.connect(CommConfig.of(meeting)).block(BOUND)) {
                List<Integer> all = world.allGatherObject(rank, Integer.class).block(BOUND);
                System.out.println("joined " + all);
            } catch (RendezvousException e) {
                System.out.println("error " + e.getMessage());
            }
        }
        System.exit(0);
    }

    private static List<byte[]> gather(Scanner in, byte[] own, int size) {
        System.out.println("record " + HexFormat.of().formatHex(own));
        List<byte[]> all = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            all.add(HexFormat.of().parseHex(in.nextLine()));
        }
        return all;
    }
}
