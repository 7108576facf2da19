package io.reactivecomm.compression.reduce;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** The calls by which encoded parts go to their ranks. All bring the same bytes; which is fastest depends on the network. */
public enum Exchange {

    /** One all-to-all. */
    ALL_TO_ALL {
        @Override
        Mono<Void> parts(ProcessGroup group, List<Tensor> outgoing, List<Tensor> incoming) {
            return group.allToAll(outgoing, incoming).then();
        }
    },

    /** A gather to each rank, all under way together: {@code my_gather} of DeepSpeed's MpiBackend. */
    GATHERS {
        @Override
        Mono<Void> parts(ProcessGroup group, List<Tensor> outgoing, List<Tensor> incoming) {
            return Mono.when(IntStream.range(0, group.size())
                    .mapToObj(
                            root -> group.gather(outgoing.get(root), root == group.rank() ? incoming : List.of(), root))
                    .toList());
        }
    },

    /** A message to each rank and one from each: {@code my_igather} there. */
    MESSAGES {
        @Override
        Mono<Void> parts(ProcessGroup group, List<Tensor> outgoing, List<Tensor> incoming) {
            List<Mono<Work>> messages = new ArrayList<>();
            for (int peer = 0; peer < group.size(); peer++) {
                if (peer != group.rank()) {
                    messages.add(group.receive(incoming.get(peer), peer, 0));
                    messages.add(group.send(outgoing.get(peer), peer, 0));
                }
            }
            int own = group.rank();
            return group.batch(messages)
                    .then(Mono.fromRunnable(
                            () -> group.move(List.of(Move.copy(outgoing.get(own), incoming.get(own))))));
        }
    };

    /** Sends part p to rank p, and receives this rank's part of each rank's. */
    abstract Mono<Void> parts(ProcessGroup group, List<Tensor> outgoing, List<Tensor> incoming);
}
