package io.reactivecomm.rcomm.doctor;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Timeouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A rank in a process of its own: {@code RANK WORLD_SIZE MEETING DUMPS SILENCE}. Rank 1 makes one call and waits for its standard input to end, as a debugger would
 * have it; the last rank of a world of one cannot write its checkpoint.
 */
final class PlantedRank {

    private PlantedRank() {}

    public static void main(String[] arguments) throws IOException {
        int rank = Integer.parseInt(arguments[0]);
        int worldSize = Integer.parseInt(arguments[1]);
        CommConfig config = CommConfig.of("file://" + arguments[2], rank, worldSize)
                .withTransport("tcp")
                .withDumps(Path.of(arguments[3]))
                .withHeartbeats(Timeouts.DEFAULT_HEARTBEAT, Duration.ofMillis(Long.parseLong(arguments[4])));
        try (ProcessGroup group = ReactiveComm.connect(config).block()) {
            reduce(group);
            System.out.println("ready");
            if (worldSize == 1) {
                saveCheckpoint();
            }
            if (rank != 1) {
                reduceOrSay(group);
            }
            System.in.read();
        }
    }

    private static void saveCheckpoint() throws IOException {
        Files.write(Path.of("/dev/full"), new byte[1]);
    }

    private static void reduceOrSay(ProcessGroup group) {
        try {
            reduce(group);
        } catch (CommException e) {
            System.out.println("error " + e.getMessage());
        }
    }

    private static void reduce(ProcessGroup group) {
        try (Tensor loss = Tensor.of(new float[1])) {
            group.named("loss").allReduce(loss, ReduceOp.SUM).block();
        }
    }
}
