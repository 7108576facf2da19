package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Part;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.reactivestreams.Publisher;
import org.testng.annotations.AfterClass;
import org.testng.annotations.Test;

/** The Reactive Streams TCK for the parts of an all-gather: as many as the world has ranks. */
@Test
public class GatheredPartsTckTest extends OwnPublisherVerification<Part> {

    private final Tensor input = Tensor.allocate(DType.INT32, 3);
    private final ConcurrentMap<Integer, LocalWorld> worlds = new ConcurrentHashMap<>();

    @AfterClass(alwaysRun = true)
    public void closeWorlds() {
        worlds.values().forEach(LocalWorld::close);
    }

    @Override
    public long maxElementsFromPublisher() {
        return 20;
    }

    @Override
    public Publisher<Part> createPublisher(long elements) {
        int size = (int) elements;
        if (size == 0) {
            Tensor nothing = Tensor.allocate(DType.INT32, 0);
            return unguarded(() -> {
                run(there().reduceScatterParts(List.of(nothing, nothing), nothing, ReduceOp.SUM));
                return here().reduceScatterParts(List.of(nothing, nothing), nothing, ReduceOp.SUM);
            });
        }
        List<ProcessGroup> groups =
                worlds.computeIfAbsent(size, ReactiveComm::local).groups();
        return unguarded(() -> {
            groups.subList(1, size).forEach(group -> run(parts(group)));
            return parts(groups.getFirst());
        });
    }

    private Publisher<Part> parts(ProcessGroup group) {
        return group.allGatherParts(
                input,
                Stream.generate(() -> Tensor.allocate(DType.INT32, 3))
                        .limit(group.size())
                        .toList());
    }

    @Override
    public Publisher<Part> createFailedPublisher() {
        return unguarded(() -> parts(ended()));
    }
}
