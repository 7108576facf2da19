package io.reactivecomm.mpi.job;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.time.Duration;

/**
 * A rank of a job: joins the world that MPI makes, runs the cases that its arguments name, and says {@code ok CASE} after each. What fails ends it with 1.
 */
public final class RankMain {

    static final Duration LIMIT = Duration.ofSeconds(100);

    private RankMain() {}

    public static void main(String[] cases) {
        int code = 0;
        try (ProcessGroup world = ReactiveComm.connect().block(LIMIT)) {
            for (String each : cases) {
                RankCase.valueOf(each).run(world);
                System.out.println("ok " + each);
            }
        } catch (Throwable e) {
            e.printStackTrace();
            code = 1;
        }
        System.exit(code);
    }
}
