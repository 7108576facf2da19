package io.reactivecomm.observability.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Traffic;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.observe.InFlight;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.observability.watch.JobSnapshot;
import io.reactivecomm.observability.watch.RankStatus;
import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.DumpOrigin;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.LiveCall;
import io.reactivecomm.recorder.LoopRecord;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.RankState;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.SeededRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Seeded tables of who has made which call, on engines with a clock of their own: all readers name the same missing ranks. */
class MissingRanksTest {

    private static final int MOST_RANKS = 7;
    private static final int MOST_CALLS = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern WARNING = Pattern.compile("missing=\\[([\\d, ]*)], call=([^,]+),");

    /** The ranks of one table, and what their warnings and timeouts say. */
    private static final class Ranks {

        private final Map<String, TreeSet<Integer>> absent = new TreeMap<>();
        private final List<Engine> engines = new ArrayList<>();
        private final List<List<String>> warnings = new ArrayList<>();
        private final Map<String, Failure> timeouts = new HashMap<>();
        private final ArrayDeque<Runnable> frames = new ArrayDeque<>();
        private final List<GroupState> groups = new ArrayList<>();
        private final int size;
        private long now;

        Ranks(SeededRandom random) {
            size = 2 + random.below(MOST_RANKS - 1);
            List<Integer> all = IntStream.range(0, size).boxed().toList();
            for (int rank : all) {
                List<String> said = new ArrayList<>();
                warnings.add(said);
                List<Link> links = all.stream()
                        .filter(peer -> peer != rank)
                        .<Link>map(peer -> new FrameLink(this, rank, peer))
                        .toList();
                engines.add(new Engine(rank, links, EngineLimits.DEFAULT, said::add));
                groups.add(new GroupState(GroupState.WORLD, 0, all, rank));
                engines.get(rank).register(groups.get(rank));
            }
            int calls = 1 + random.below(MOST_CALLS);
            for (int call = 0; call < calls; call++) {
                draw("call" + call, random);
            }
        }

        /** At least one rank has made the call, and at least one has not. */
        private void draw(String name, SeededRandom random) {
            int made = random.below(size);
            int missing = (made + 1 + random.below(size - 1)) % size;
            TreeSet<Integer> without = absent.computeIfAbsent(name + "#0", ignored -> new TreeSet<>());
            for (int rank = 0; rank < size; rank++) {
                if (rank != made && (rank == missing || random.below(2) == 0)) {
                    without.add(rank);
                } else {
                    make(rank, name);
                }
            }
        }

        private void make(int rank, String name) {
            Barrier barrier = new Barrier();
            Layout layout = Layout.apart(size);
            Schedule schedule =
                    Selection.DEFAULT.algorithm(barrier, layout, Wish.NONE).schedule(Place.of(barrier, rank, layout));
            CallKey.Ticket key = new CallKey.Ticket(0, GroupState.WORLD, name, 0, 1);
            CallSink sink = new CallSink() {
                @Override
                public void succeeded(Work work) {
                    throw new AssertionError("a call without all its ranks succeeded: call=" + key.label());
                }

                @Override
                public void failed(Failure failure) {
                    timeouts.put(key.label(), failure);
                }
            };
            Submission.Body body = new Submission.Body.Valid(barrier, schedule, size);
            Submission.Address address = new Submission.Address.Collectively(key);
            Submission call = new Submission(groups.get(rank), address, body, now, TIMEOUT.toNanos(), sink);
            engines.get(rank).submit(call, now);
            settle();
        }

        private void settle() {
            do {
                Runnable frame = frames.poll();
                if (frame != null) {
                    frame.run();
                }
                for (Engine engine : engines) {
                    do {
                        engine.flush();
                    } while (engine.deliverSignal(now));
                }
            } while (!frames.isEmpty());
        }

        void passTo(Duration time) {
            long next = nextDeadline();
            while (next <= time.toNanos()) {
                now = Math.max(now, next);
                engines.forEach(engine -> engine.time(now));
                settle();
                next = nextDeadline();
            }
            now = time.toNanos();
        }

        private long nextDeadline() {
            return engines.stream().mapToLong(Engine::nextDeadline).min().orElseThrow();
        }

        List<FlightDump> dumps() {
            List<FlightDump> dumps = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                RankState state = engines.get(rank).snapshot(now);
                DumpOrigin origin = new DumpOrigin(rank, size, "a world", "a host", rank, Instant.EPOCH, "", false);
                LoopRecord loop = new LoopRecord("loop", true, CallRecord.NONE, List.of());
                dumps.add(new FlightDump(FlightDump.VERSION, origin, loop, state, List.of(), List.of()));
            }
            return dumps;
        }

        JobSnapshot board() {
            List<RankStatus> all = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                InFlight seen = engines.get(rank).inFlight(MOST_CALLS, now);
                RankReport report = new RankReport(
                        rank, size, 1, "", Duration.ZERO, 0, 0, 0, 0, 0, seen.count(), seen.oldest(), List.of(), "");
                all.add(new RankStatus(rank, RankStatus.State.PUBLISHING, Duration.ZERO, Optional.of(report)));
            }
            return new JobSnapshot(Instant.EPOCH, size, all, false);
        }
    }

    /** A link for calls without payload. */
    private record FrameLink(Ranks ranks, int rank, int peer) implements Link {

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public boolean copiesEagerBytes() {
            return false;
        }

        @Override
        public void write(Frame frame) {
            ranks.frames.add(() -> ranks.engines.get(peer).frame(rank, frame, ranks.now));
        }

        @Override
        public void flush() {}

        @Override
        public void withdraw(Frame.Data frame) {}

        @Override
        public void drain(long grant) {}

        @Override
        public Traffic traffic() {
            return Traffic.NONE;
        }

        @Override
        public void close() {}
    }

    @Test
    void missingRanks_areTheSame_toWarningsDumpsDoctorBoardAndTimeouts() {
        int seeds = Depth.count("missing.seeds", 400);
        for (long seed = 0; seed < seeds; seed++) {
            Ranks ranks = new Ranks(new SeededRandom(seed));
            check(ranks, "seed=" + seed);
            ranks.engines.forEach(Engine::close);
        }
    }

    private static void check(Ranks ranks, String seed) {
        ranks.passTo(Duration.ofMillis(499));
        assertThat(ranks.board().late()).as(seed).isEmpty();
        ranks.passTo(Duration.ofMillis(500));
        // Until they ask, ranks know of those alone that they exchange something with.
        Map<String, TreeSet<Integer>> early = boardOf(ranks);
        assertThat(early).as(seed).isEqualTo(doctorsOf(ranks)).containsOnlyKeys(ranks.absent.keySet());
        early.forEach(
                (call, missing) -> assertThat(ranks.absent.get(call)).as(seed).containsAll(missing));
        assertThat(ranks.warnings).as(seed).allMatch(List::isEmpty);

        ranks.passTo(Duration.ofSeconds(6));
        assertThat(boardOf(ranks)).as(seed).isEqualTo(ranks.absent);
        assertThat(doctorsOf(ranks)).as(seed).isEqualTo(ranks.absent);
        for (FlightDump dump : ranks.dumps()) {
            for (LiveCall live : dump.state().live()) {
                assertThat(new TreeSet<>(live.missing()))
                        .as(seed)
                        .isEqualTo(ranks.absent.get(live.call().label()));
            }
            boolean hasCalls = !dump.state().live().isEmpty();
            assertThat(ranks.warnings.get(dump.rank()).isEmpty()).as(seed).isNotEqualTo(hasCalls);
            ranks.warnings.get(dump.rank()).forEach(text -> checkWarning(text, ranks, seed));
        }

        ranks.passTo(TIMEOUT);
        Map<String, TreeSet<Integer>> failed = new TreeMap<>();
        ranks.timeouts.forEach((call, failure) -> failed.put(call, new TreeSet<>(failure.missing())));
        assertThat(failed).as(seed).isEqualTo(ranks.absent);
        assertThat(doctorsOf(ranks)).as(seed).isEqualTo(ranks.absent);
    }

    private static void checkWarning(String text, Ranks ranks, String seed) {
        Matcher matcher = WARNING.matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        assertThat(matcher.group(1))
                .as(seed)
                .isEqualTo(ranks.absent.get(matcher.group(2)).toString().replaceAll("[\\[\\]]", ""));
    }

    private static Map<String, TreeSet<Integer>> boardOf(Ranks ranks) {
        Map<String, TreeSet<Integer>> late = new TreeMap<>();
        ranks.board().late().forEach(each -> late.put(each.call().label(), new TreeSet<>(each.late())));
        return late;
    }

    private static Map<String, TreeSet<Integer>> doctorsOf(Ranks ranks) {
        Map<String, TreeSet<Integer>> missing = new TreeMap<>();
        Evidence evidence = new Evidence(ranks.dumps());
        evidence.waits().stream()
                .filter(evidence::isOpen)
                .forEach(wait -> missing.computeIfAbsent(wait.call().label(), ignored -> new TreeSet<>())
                        .add(wait.missing()));
        return missing;
    }
}
