package io.reactivecomm.rcomm.peers;

import io.reactivecomm.CommException;
import io.reactivecomm.launch.JobOptions;
import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.launch.LaunchException;
import io.reactivecomm.launch.LocalJob;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import reactor.core.Exceptions;

/**
 * One run of a peer's measuring program, which ends with what it measured or a line that says why not.
 *
 * <p>The program is a job of one rank: it and all that it starts are ended, by process handle, at the limit, on Ctrl-C, and when this
 * process is killed.
 */
public final class PeerRun {

    private PeerRun() {}

    /** {@return what the program measured; blocks until it has ended} */
    public static PeerResult of(PeerProgram program, PeerRequest request, Congestion congestion) {
        return of(program, request, congestion, request.limit());
    }

    /** As the other, with a limit. */
    static PeerResult of(PeerProgram program, PeerRequest request, Congestion congestion, Duration limit) {
        List<String> command = new ArrayList<>(program.command().apply(request));
        command.addAll(request.arguments());
        List<String> around = program.peer().isOverTcp() ? congestion.around(command) : command;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        JobOptions job = JobOptions.of(1, around).withEnvironment(program.environment());
        try {
            Integer code = new LocalJob(job, new JobOutput(out, err, rank -> "", Set.of()))
                    .run()
                    .timeout(limit)
                    .block();
            return PeerOutput.parse(code == null ? 1 : code, text(out), text(err));
        } catch (LaunchException e) {
            return new PeerResult(List.of(), "it cannot be run: " + CommException.textOf(e));
        } catch (RuntimeException e) {
            if (Exceptions.unwrap(e) instanceof TimeoutException) {
                return new PeerResult(
                        PeerOutput.parse(0, text(out), "").rows(),
                        "it took too long and was ended: limit=" + limit.toSeconds() + " s");
            }
            throw e;
        }
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
