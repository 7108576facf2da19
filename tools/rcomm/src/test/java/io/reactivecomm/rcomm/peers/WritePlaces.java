package io.reactivecomm.rcomm.peers;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** A rank that joins by its environment and writes its place into a file, in the words of the peers' programs. */
final class WritePlaces {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private WritePlaces() {}

    /** @param arguments the beginning of the file's name, which the rank ends */
    public static void main(String[] arguments) throws IOException {
        try (ProcessGroup world = Objects.requireNonNull(ReactiveComm.connect().block(LIMIT))) {
            // A group's members are in the order that is given; torch sorts them.
            ProcessGroup pair = world.newGroup(0, 2).block(LIMIT);
            List<String> lines = new ArrayList<>(List.of(
                    "world %d of %d".formatted(world.rank(), world.size()),
                    "host %d of %d, %d of %d"
                            .formatted(world.localRank(), world.localSize(), world.hostRank(), world.hostCount())));
            lines.add("pair " + (pair == null ? -1 : pair.rank()));
            if (pair != null) {
                lines.add("ranks of the pair " + ranks(pair, -1, world.size() + 1));
            }
            lines.add("ranks of the world " + ranks(world, 0, world.size()));
            Files.writeString(Path.of(arguments[0] + world.rank()), String.join("\n", lines));
            world.barrier().block(LIMIT);
        }
    }

    private static List<Integer> ranks(ProcessGroup group, int first, int end) {
        return IntStream.range(first, end).map(group::groupRank).boxed().toList();
    }
}
