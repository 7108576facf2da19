package io.reactivecomm.observability.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.internal.timeline.EventWriter;
import io.reactivecomm.observability.trace.RankClock.Basis;
import io.reactivecomm.timeline.TimelineException;
import io.reactivecomm.timeline.Trace;
import io.reactivecomm.timeline.Trace.Slice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of processes whose clocks are planted, and parts that are none. */
@Timeout(60)
class MergedTimelineTest {

    private static final long SECOND = 1_000_000_000;

    @TempDir
    private Path folder;

    /**
     * A part in the making, of a rank whose clock is ahead of the world's.
     *
     * @param drift parts in a million by which it runs faster
     */
    private record PlantedPart(int rank, long ahead, long drift, StringBuilder text) {

        static PlantedPart of(int rank, long ahead, long drift) {
            PlantedPart part = new PlantedPart(rank, ahead, drift, new StringBuilder("[\n"));
            part.text
                    .append(
                            "{\"name\":\"reactivecomm_part\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"format\":1,\"process\":\"p")
                    .append(rank)
                    .append("\",\"nanos\":")
                    .append(part.clock(0))
                    .append(",\"wallMicros\":1000000}}");
            return part;
        }

        long clock(long world) {
            return ahead + world + world * drift / 1_000_000;
        }

        PlantedPart line(String line) {
            text.append(",\n").append(line);
            return this;
        }

        private PlantedPart event(String kind, String name, int lane, long world, String more) {
            return line("{\"name\":\"" + name + "\",\"ph\":\"" + kind + "\",\"pid\":" + (1 + rank) + ",\"tid\":" + lane
                    + ",\"cat\":\"call\",\"ts\":" + EventWriter.micros(clock(world)) + more + "}");
        }

        PlantedPart call(String name, long from, long to) {
            return begin(name, from).event("E", name, 65536, to, "");
        }

        PlantedPart begin(String name, long from) {
            return event("B", name, 65536, from, ",\"args\":{}");
        }

        /** At that time of the world it finds what the other's clock is ahead, and is wrong by so much. */
        PlantedPart compare(PlantedPart other, long world, long error, long bound) {
            return line("{\"name\":\"clock\",\"ph\":\"i\",\"pid\":" + (1 + rank)
                    + ",\"tid\":1,\"cat\":\"clock\",\"ts\":" + EventWriter.micros(clock(world))
                    + ",\"s\":\"p\",\"args\":{\"other\":" + other.rank + ",\"offsetNanos\":"
                    + (other.clock(world) - clock(world) + error)
                    + ",\"boundNanos\":" + bound + "}}");
        }

        Path write(Path folder) throws Exception {
            return Files.writeString(folder.resolve("trace." + rank + ".json"), text);
        }
    }

    private final PlantedPart zero = PlantedPart.of(0, -7 * SECOND, 20);
    private final PlantedPart one = PlantedPart.of(1, 123_456_789_012_345L, -30);
    private final PlantedPart two = PlantedPart.of(2, 99_999 * SECOND, 0);

    private Path trace() {
        return folder.resolve("trace.json");
    }

    private MergedTimeline merge(PlantedPart... parts) throws Exception {
        List<Path> files = new ArrayList<>();
        for (PlantedPart part : parts) {
            files.add(part.write(folder));
        }
        MergedTimeline merged = MergedTimeline.of(files);
        merged.write(trace());
        return merged;
    }

    private static void compareOften(PlantedPart part, PlantedPart other, long error) {
        for (int second = 0; second <= 40; second += 10) {
            part.compare(other, second * SECOND, second % 20 == 0 ? error : -error, error);
        }
    }

    @Test
    void clocks_thatDrift_areOneToTheirBound_byHeartbeats() throws Exception {
        compareOften(one, zero, 40_000);
        for (int second = 0; second < 40; second++) {
            zero.call("call" + second, second * SECOND, second * SECOND + 1000);
            one.call("call" + second, second * SECOND, second * SECOND + 1000);
        }
        MergedTimeline merged = merge(one, zero);
        List<Slice> first = Trace.read(trace()).calls(0);
        List<Slice> second = Trace.read(trace()).calls(1);
        for (int i = 0; i < 40; i++) {
            assertThat(Math.abs(first.get(i).from() - second.get(i).from()))
                    .as("call %d", i)
                    .isLessThanOrEqualTo(40_001);
            assertThat(second.get(i).to() - second.get(i).from()).isBetween(900L, 1100L);
        }
        RankClock clock = merged.clocks().get(1);
        assertThat(clock.basis()).isEqualTo(Basis.HEARTBEATS);
        assertThat(clock.boundNanos()).hasValue(40_000);
        assertThat(clock.part()).isEqualTo(folder.resolve("trace.1.json"));
        assertThat(merged.table().lines())
                .hasSize(3)
                .anyMatch(line -> line.matches(" +0  the reference +0.000000000 s +± 0.000 µs"))
                .anyMatch(line -> line.matches(" +1  heartbeats +-123463\\.78\\d+ s +± 40.000 µs"));
    }

    @Test
    void comparison_ofTheOtherRank_serves_whereARankHasNone() throws Exception {
        compareOften(zero, one, 30_000);
        zero.call("call", 15 * SECOND, 16 * SECOND);
        one.call("call", 15 * SECOND, 16 * SECOND);
        assertThat(merge(zero, one).clocks().get(1).boundNanos()).hasValue(30_000);
        assertThat(Trace.read(trace()).call(1, "call").from()
                        - Trace.read(trace()).call(0, "call").from())
                .isBetween(-30_001L, 30_001L);
    }

    @Test
    void clock_thatWasComparedWithAThird_comesByThat_ifTheWayIsNarrower() throws Exception {
        two.compare(one, 5 * SECOND, 1_000, 2_000)
                .compare(zero, 5 * SECOND, 900_000, 1_000_000)
                .call("call", 5 * SECOND, 6 * SECOND);
        one.compare(zero, 5 * SECOND, -2_000, 3_000).call("call", 5 * SECOND, 6 * SECOND);
        zero.call("call", 5 * SECOND, 6 * SECOND);
        MergedTimeline merged = merge(two, one, zero);
        assertThat(merged.clocks().get(2).boundNanos()).hasValue(5_000);
        assertThat(Trace.read(trace()).call(2, "call").from()
                        - Trace.read(trace()).call(0, "call").from())
                .isBetween(-5_001L, 5_001L);
    }

    @Test
    void clock_thatWasNeverCompared_goesByTheTimeOfDay_andNobodyKnowsHowWell() throws Exception {
        zero.call("call", SECOND, 2 * SECOND);
        one.call("call", SECOND, 2 * SECOND);
        RankClock clock = merge(zero, one).clocks().get(1);
        assertThat(clock.basis()).isEqualTo(Basis.TIME_OF_DAY);
        assertThat(clock.boundNanos()).isEmpty();
        assertThat(Math.abs(Trace.read(trace()).call(1, "call").from()
                        - Trace.read(trace()).call(0, "call").from()))
                .isLessThan(100_000);
        assertThat(merge(zero, one).table()).contains("time of day", "unknown");
    }

    @Test
    void lowestRank_isTheReference_whereRankZeroHasNoPart() throws Exception {
        compareOften(two, one, 10_000);
        one.call("call", SECOND, 2 * SECOND);
        two.call("call", SECOND, 2 * SECOND);
        assertThat(merge(two, one).clocks())
                .extracting(RankClock::basis)
                .containsExactly(Basis.REFERENCE, Basis.HEARTBEATS);
    }

    /** Whatever a clock was compared with, time does not go backwards. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void line_neverGoesBackwards(long seed) {
        Random dice = new Random(seed);
        List<ClockLine.Comparison> comparisons = Stream.generate(() -> new ClockLine.Comparison(
                        dice.nextLong(60 * SECOND),
                        dice.nextLong(1L << dice.nextInt(20, 40)),
                        dice.nextLong(1, SECOND)))
                .limit(200)
                .toList();
        ClockLine line = ClockLine.of(comparisons);
        long before = Long.MIN_VALUE;
        for (long at = -SECOND; at < 62 * SECOND; at += dice.nextLong(1, 20_000_000)) {
            assertThat(line.other(at)).as("seed=%d, at=%d", seed, at).isGreaterThanOrEqualTo(before);
            before = line.other(at);
        }
        assertThat(line.kept()).isNotEmpty();
    }

    @Test
    void partOfAKilledRank_losesItsLastEvent_andEndsWhatItWasDoing() throws Exception {
        zero.call("call", SECOND, 2 * SECOND);
        one.call("call", SECOND, 2 * SECOND).begin("last", 3 * SECOND).line("{\"name\":\"cut o");
        MergedTimeline merged = merge(zero, one);
        assertThat(merged.gaps()).singleElement().asString().contains("cut off", "trace.1.json");
        Slice last = Trace.read(trace()).call(1, "last");
        assertThat(last.to()).isEqualTo(last.from());
        assertThat(Trace.read(trace()).end(1, "last").toString()).isEqualTo("{\"unfinished\":\"true\"}");
    }

    @Test
    void arrows_ofSeveralParts_keepApart() throws Exception {
        for (PlantedPart part : List.of(zero, one)) {
            part.begin("call", 0)
                    .event("s", "part", 65536, 0, ",\"id\":1")
                    .event("f", "part", 65536, 0, ",\"id\":1,\"bp\":\"e\"");
        }
        merge(zero, one);
        Trace trace = Trace.read(trace());
        assertThat(trace.of("s").get(0).get("id"))
                .isNotEqualTo(trace.of("s").get(1).get("id"));
        assertThat(trace.of("s").get(1).get("id"))
                .isEqualTo(trace.of("f").get(1).get("id"));
    }

    @Test
    void end_withoutABeginning_isLeftOut() throws Exception {
        zero.event("E", "call", 65536, SECOND, "").call("call", 2 * SECOND, 3 * SECOND);
        merge(zero);
        assertThat(Trace.read(trace()).slices()).hasSize(1);
    }

    @Test
    void parts_ofOneRank_areAnError() throws Exception {
        Path first = zero.call("call", 0, 1).write(folder);
        Path second = Files.copy(first, folder.resolve("copy.json"));
        assertThatThrownBy(() -> MergedTimeline.of(List.of(first, second)))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("two parts are of one rank: rank=0")
                .hasMessageContaining("copy.json");
    }

    @Test
    void trace_thatWouldOverwriteAPart_isAnError() throws Exception {
        Path part = zero.call("call", 0, 1).write(folder);
        String before = Files.readString(part);
        assertThatThrownBy(() -> MergedTimeline.of(List.of(part)).write(folder.resolve("x/../trace.0.json")))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("overwrite one of its parts");
        assertThat(Files.readString(part)).isEqualTo(before);
    }

    @Test
    void trace_thatCannotBeWritten_isAnError() throws Exception {
        Path part = zero.call("call", 0, 1).write(folder);
        assertThatThrownBy(() -> MergedTimeline.of(List.of(part)).write(folder))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("it is a folder");
    }

    private void requireRefused(String text, String why) throws Exception {
        Path file = Files.writeString(folder.resolve("hostile.json"), text);
        assertThatThrownBy(() -> MergedTimeline.of(List.of(file)))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("hostile.json")
                .hasMessageContaining(why);
    }

    @Test
    void file_thatIsNoPart_isAnError() throws Exception {
        requireRefused("", "its first line is not [");
        requireRefused("not a trace", "its first line is not [");
        requireRefused("[\n", "not the header of a part");
        requireRefused("[\n{\"name\":\"x\"}\n]", "not the header of a part");
        requireRefused(
                "[\n{\"name\":\"reactivecomm_part\",\"args\":{\"format\":7}}\n]", "unknown format: format=7, known=1");
        requireRefused(
                "[\n{\"name\":\"reactivecomm_part\",\"args\":{\"format\":1,\"nanos\":0,\"wallMicros\":2000000000000000000}}\n]",
                "no time of day");
        Path missing = folder.resolve("missing.json");
        assertThatThrownBy(() -> MergedTimeline.of(List.of(missing)))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("missing.json");
        assertThatThrownBy(() -> MergedTimeline.of(List.of()))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("parts=0");
    }

    /** Each is the third line, with another behind it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"cut o|line 3 is no JSON",
                "7|line 3 is no event",
                "{} {}|line 3 is no JSON",
                "{\"ph\":\"B\"}|pid is no number of a rank",
                "{\"ph\":\"B\",\"pid\":0}|pid is no number of a rank",
                "{\"ph\":\"B\",\"pid\":1,\"tid\":1.5}|tid is no number of a rank",
                "{\"ph\":\"B\",\"pid\":\"1\"}|pid is no number of a rank",
                "{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":\"soon\"}|ts is no time",
                "{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":1e999999999}|ts is no time",
                "{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":1e17}|ts is no time",
                "{\"ph\":\"i\",\"cat\":\"clock\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"other\":1,\"offsetNanos\":9223372036854775807}}|offsetNanos is no such",
                "{\"ph\":\"i\",\"cat\":\"clock\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"other\":1}}|offsetNanos is no such"
            })
    void line_thatIsNoEvent_isAnError(String lineAndWhy) throws Exception {
        String[] both = lineAndWhy.split("\\|");
        requireRefused(zero.line(both[0]).call("call", 0, 1).text.toString(), both[1]);
    }

    @Test
    void line_thatHasNoEnd_isAnError() throws Exception {
        requireRefused(zero.line("x".repeat(1 << 21)).text.toString(), "longer than");
    }
}
