package io.reactivecomm.launch;

import java.util.List;
import reactor.core.scheduler.Schedulers;

/** A program that runs two ranks which would sleep for ever, for a test to end it. */
final class RunSleepers {

    private RunSleepers() {}

    public static void main(String[] arguments) {
        JobOptions options = JobOptions.of(2, List.of("sh", "-c", "echo pid $$; exec sleep 1000"));
        new LocalJob(options, JobOutput.standard(), new FakeStoreHost(), Schedulers.boundedElastic())
                .run()
                .block();
    }
}
