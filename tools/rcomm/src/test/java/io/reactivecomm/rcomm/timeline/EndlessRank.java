package io.reactivecomm.rcomm.timeline;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.timeline.Timeline;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/** The program of one rank of two, which makes calls until the other is lost. It says so when its timeline has some of them. */
final class EndlessRank {

    private EndlessRank() {}

    /** @param arguments the folder in which the ranks meet and write, and the rank */
    public static void main(String[] arguments) throws InterruptedException {
        Path folder = Path.of(arguments[0]);
        int rank = Integer.parseInt(arguments[1]);
        CountDownLatch isCompared = new CountDownLatch(1);
        Timeline timeline = Timeline.to(Timeline.partOf(folder.resolve("trace.json"), rank));
        CommObserver clocks = new CommObserver() {
            @Override
            public void happened(CommEvent event) {
                if (event instanceof CommEvent.ClockCompared) {
                    isCompared.countDown();
                }
            }
        };
        CommConfig config = CommConfig.of(folder.resolve("store").toUri().toString(), rank, 2)
                .withObserver(timeline)
                .withObserver(clocks);
        try (ProcessGroup group =
                        Objects.requireNonNull(ReactiveComm.connect(config).block());
                Tensor tensor = Tensor.of(new float[100])) {
            isCompared.await();
            for (long call = 0; ; call++) {
                group.allReduce(tensor, ReduceOp.MAX).block();
                if (call == 10) {
                    timeline.flush();
                    System.out.println("running");
                }
            }
        } catch (CommException e) {
            System.out.println("lost: " + e.getMessage());
        }
    }
}
