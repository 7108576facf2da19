package io.reactivecomm.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class RcommTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine command = Rcomm.commandLine();
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        return command.execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "train --help", "perf --help", "perf compressed --help", "overlap --help", "plan --help", "run --help"})
    void help_eachCommand_showsUsage(String arguments) {
        assertThat(run(arguments.split(" "))).isZero();
        assertThat(out.toString()).contains("Usage: rcomm").contains("--help");
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "train --ranks 0 | number of ranks is not positive: ranks=0; start at least one",
                "train --epochs 0 | number of epochs is not positive: epochs=0",
                "train --batch -1 | batch is not positive: batch=-1",
                "train --lr NaN | learning rate is not a positive number: lr=NaN",
                "train --transport pigeon | unknown transport: transport=pigeon; choose one of local, shm, tcp",
                "train --ranks many | 'many' is not an int",
                "train --compress gzip | unknown codec: codec=gzip; choose one of one-bit, int8, int4, top-k, threshold, powersgd",
                "train --optimizer adagrad | unknown optimizer: optimizer=adagrad; choose one of sgd, adam, one-bit-adam, zero-one-adam, lamb,",
                "train --compress int8 --optimizer adam | two comparisons at once: compress=[int8], optimizer=[adam]",
                "train --compress top-k --density 2 | settings of codecs are out of range: density=2.0, tau=",
                "train --compress powersgd --powersgd-rank 0 | out of range: density=0.01, tau=0.1, powersgd-rank=0",
                "train --compress int8 --warm-up -1 | powersgd-rank=1, warm-up=-1;",
                "train --optimizer one-bit-adam --warm-up 0 | no warm-up",
                "train --json figures.json | nothing is compared: json=figures.json",
                "train --compress int8 --json / | cannot write to that path: json=/, because it is a folder",
                "perf | OP",
                "perf all-to-none | unknown op: op=all-to-none; choose one of all-reduce,",
                "perf all-reduce --dtype float31 | unknown dtype: dtype=float31; choose one of",
                "perf all-reduce --dtype bool | elements cannot be summed: op=all-reduce, dtype=bool",
                "perf all-reduce --bytes 4,-4 | a size is negative",
                "perf list | write `rcomm perf list --file COUNTS.txt`",
                "perf list --file no-such-file | no such file: file=no-such-file",
                "perf all-reduce --batches 0 | number of batches is not positive",
                "perf all-reduce --transport local,pigeon | unknown transport: transport=pigeon",
                "perf all-reduce --buffers lent | unknown buffers: buffers=lent; choose one of private, shared",
                "perf all-reduce --ranks 0 | number of ranks is not positive: ranks=0",
                "perf all-reduce --rounds 0 | number of rounds is not positive: rounds=0",
                "perf all-reduce --peers --dtype float64 | peers are measured with float32: dtype=float64",
                "perf all-reduce --congestion cubic | unknown congestion: congestion=cubic; choose one of stock, reno",
                "perf barrier --chart target/perf.png | a barrier moves no bytes that could be drawn: op=barrier",
                "perf all-reduce --chart / | cannot write to that path: chart=/, because it is a folder",
                "perf all-reduce --join --transport local | the ranks of a local world are threads: transport=local",
                "perf all-reduce --join --buffers private,shared | a world that is joined is measured in one way",
                "perf compressed --codec two-bit | unknown codec: codec=two-bit; choose one of one-bit, int8, int4, top-k, powersgd",
                "perf compressed --ranks 2,0 | number of ranks is not positive: ranks=0; start at least one",
                "perf compressed --bytes 4,3 | a size is out of range: bytes=[4, 3]; give 4 to 8589934588",
                "perf compressed --rate 1 | cannot read the rate: rate=1; write it like 1gbit, 100mbit or 0",
                "perf compressed --latency 2 | cannot read the latency: latency=2; write it like 2ms, 500us or 0",
                "perf compressed --rounds 0 | number of rounds is not positive: rounds=0; measure at least one",
                "perf compressed --batch-millis -1 | a time is negative: batchTime=PT-0.001S",
                "perf compressed --json / | cannot write to that path: json=/, because it is a folder",
                "perf --bytes 4 compressed | options of compressed stand behind it: before=--bytes; write `rcomm perf compressed --bytes …`",
                "overlap --compress two-bit | unknown codec: codec=two-bit; choose one of one-bit, int8, int4, top-k",
                "overlap --compress powersgd | a layer's weights and biases are one gradient here, which is no matrix: compress=powersgd",
                "overlap --compress int8 --latency 0 --rate 0 | nothing is gained where links are as fast as they are: compress=int8",
                "overlap --rate fast | cannot read the rate: rate=fast; write it like 1gbit, 100mbit or 0",
                "overlap --steps 0 | number of steps is out of range: steps=0; take 1 to 5000",
                "overlap --hidden 8,0 | a hidden layer has no outputs: hidden=[8, 0]",
                "overlap --batch 0 | batch is not positive: batch=0",
                "overlap --batch 1438 | batch is larger than all images: batch=1438, images=1437",
                "overlap --bucket-mib 0 | a bucket has no room: bucketBytes=0",
                "overlap --latency 2 | cannot read the latency: latency=2; write it like 2ms, 500us or 0",
                "overlap --chart / | cannot write to that path: chart=/, because it is a folder; choose another with --chart",
                "overlap --trace . | cannot write to that path: trace=., because it is a folder; choose another with --trace",
                "overlap --json pom.xml/figures.json | json=pom.xml/figures.json, because",
                "overlap --chart both --trace target/../both | two outputs are one file: trace=target/../both, chart=both, json=null",
                "overlap --steps 5000 --hidden 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 | too much would be recorded: steps=5000, layers=19",
                "plan | OP",
                "plan all-reduce | --ranks",
                "plan all-reduce --ranks 0 | number of ranks is not positive: ranks=0; plan for at least one",
                "plan all-reduce --ranks 4 --bytes -1 | a size is negative: bytes=-1",
                "plan all-reduce --ranks 4 --bandwidth-gbps 0 | bandwidth is not positive: bandwidth-gbps=0.0",
                "plan all-reduce --ranks 4 --latency-us -1 | latency is negative: latency-us=-1.0",
                "plan all-reduce --ranks 4 --dtype bool | elements cannot be reduced: op=SUM, dtype=BOOL",
                "plan all-reduce --ranks 4 --algorithm bruck | no such algorithm for this call: op=all-reduce, bytes=4, algorithm=bruck",
                "plan message --ranks 2 | no algorithm to choose: operation=message",
                "plan all-reduce --ranks 4 --algorithms all-reduce=rung | unknown algorithm=rung; choose",
                "run -n 0 true | number of ranks is not positive: n=0",
                "frobnicate | frobnicate"
            })
    void execute_wrongUsage_saysSoInOneLine(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("rcomm")
                .contains(message);
    }

    @Test
    void execute_nothing_namesTheCommands() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("choose train, perf, overlap, plan or run");
    }

    @Test
    void run_unknownCommand_exits127() {
        assertThat(run("run", "-n", "2", "no-such-program")).isEqualTo(127);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .isEqualTo(
                        "rcomm run: command not found: command=no-such-program; check the spelling, or give its path");
    }

    @Test
    void train_chartCannotBeWritten_failsInOneLine(@TempDir Path folder) {
        assertThat(run("train", "--transport", "local", "--ranks", "2", "--epochs", "1", "--chart", folder.toString()))
                .isEqualTo(1);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("cannot write the chart: file=" + folder);
    }

    @Test
    void train_verbose_showsTheStackTrace(@TempDir Path folder) {
        assertThat(run(
                        "train",
                        "--verbose",
                        "--transport",
                        "local",
                        "--ranks",
                        "1",
                        "--epochs",
                        "1",
                        "--chart",
                        folder.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("at io.reactivecomm.samples.programs.train.TrainingChart");
    }

    @Test
    void train_local_saysHowItGoes(@TempDir Path folder) {
        assertThat(run(
                        "train",
                        "--transport",
                        "local",
                        "--ranks",
                        "3",
                        "--epochs",
                        "2",
                        "--chart",
                        folder.resolve("train.png").toString()))
                .isZero();
        assertThat(out.toString().lines())
                .hasSize(6)
                .anyMatch(line -> line.startsWith("epoch  2/2  loss "))
                .anyMatch(line -> line.startsWith("parameters of all 3 ranks are bit-equal: hash "));
        assertThat(folder.resolve("train.png")).isNotEmptyFile();
    }

    @Test
    void train_compress_showsATableAndWritesBothFiles(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("figures.json");
        assertThat(run(
                        "train",
                        "--transport=local",
                        "--ranks=2",
                        "--epochs=1",
                        "--batch=500",
                        "--compress=one-bit,top-k",
                        "--density=0.1",
                        "--json=" + json,
                        "--chart=" + folder.resolve("chart.png")))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines()).hasSize(9)
                .anyMatch(line -> line.matches("uncompressed +\\d\\.\\d{6} +0\\.\\d{4} +\\d+ +1\\.0  bit-equal"))
                .anyMatch(line -> line.matches("one-bit, no feedback +\\d\\.\\d{6} +0\\.\\d{4} +\\d+ +2\\d\\.\\d  bit-equal"))
                .anyMatch(line -> line.equals("parameters of all 2 ranks are bit-equal after every training"));
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(run -> run.get("method").asString() + " " + run.get("feedsBack").asBoolean())
                .containsExactly("uncompressed true", "one-bit true", "one-bit false", "top-k true", "top-k false");
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    @Test
    void train_optimizer_isShownBesideItsParent(@TempDir Path folder) {
        assertThat(run(
                        "train",
                        "--transport=local",
                        "--ranks=2",
                        "--epochs=1",
                        "--batch=500",
                        "--warm-up=1",
                        "--optimizer=one-bit-adam",
                        "--chart=" + folder.resolve("chart.png")))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines())
                .anyMatch(line -> line.startsWith("adam  "))
                .anyMatch(line -> line.startsWith("one-bit-adam  "));
    }

    @Test
    void perf_localInRounds_showsMediansAndWritesBothFiles(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("rows.json");
        assertThat(run(
                        "perf",
                        "all-gather",
                        "--transport=local",
                        "--buffers=private,shared",
                        "--ranks=2",
                        "--rounds=2",
                        "--bytes=64,1024",
                        "--batches=3",
                        "--batch-millis=5",
                        "--warm-up-millis=5",
                        "--json=" + json,
                        "--chart=" + folder.resolve("chart.png")))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines().filter(line -> line.startsWith("all-gather "))).hasSize(2 * 4 + 4);
        assertThat(out.toString().lines())
                .startsWith("# all-gather, 2 ranks; times of one round, medians of 3 batch means")
                .contains("# round 1 of 2", "# round 2 of 2", "# medians of the rounds");
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(row -> row.get("buffers").asString() + " " + row.get("bytes").asLong())
                .containsExactly("private 64", "private 1024", "shared 64", "shared 1024");
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    @Test
    void perf_peersOfLocalThatAreMissing_saysSoAndGoesOn() {
        assertThat(run(
                        "perf",
                        "all-reduce",
                        "--transport=local",
                        "--ranks=2",
                        "--rounds=1",
                        "--bytes=64",
                        "--batches=3",
                        "--batch-millis=5",
                        "--warm-up-millis=5",
                        "--peers",
                        "--mpj-jars=/no/such/folder"))
                .isZero();
        assertThat(out.toString().lines())
                .anyMatch(line -> line.startsWith("# mpj: not installed: no starter.jar in [/no/such/folder]"))
                .anyMatch(line -> line.startsWith("# peers beside ours"));
    }

    @Test
    void overlap_localCompressed_showsSixRunsAndWritesThreeFiles(@TempDir Path folder) {
        assertThat(run(
                        "overlap",
                        "--transport=local",
                        "--ranks=2",
                        "--steps=2",
                        "--hidden=8,8",
                        "--batch=16",
                        "--latency=100us",
                        "--rate=2gbit",
                        "--compress=int8",
                        "--trace=" + folder.resolve("trace.json"),
                        "--chart=" + folder.resolve("chart.png"),
                        "--json=" + folder.resolve("figures.json")))
                .isZero();
        assertThat(out.toString().lines())
                .anyMatch(line -> line.matches("local +reduce after backward .*%  +0"))
                .anyMatch(line -> line.matches("local +buckets overlapped .*%  +0"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +reduce after backward +plain .*%  +0"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +buckets overlapped +plain .*%  +0"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +reduce after backward +int8 .*% +-?[0-9.]+%  +0"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +buckets overlapped +int8 .*% +-?[0-9.]+%  +0"))
                .anyMatch(line -> line.startsWith("# 2 ranks on "))
                .anyMatch(line -> line.matches("parameters of all 2 ranks are bit-equal after every run: hash [0-9a-f]{16}, [0-9a-f]{16} .int8."));
        assertThat(folder.resolve("trace.json")).isNotEmptyFile();
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
        assertThat(folder.resolve("figures.json")).content().contains("\"hiddenShare\" : ");
    }

    @Test
    void overlap_noLatency_leavesTheSlowLinksOut(@TempDir Path folder) {
        assertThat(run(
                        "overlap",
                        "--transport=local",
                        "--ranks=1",
                        "--steps=1",
                        "--hidden=8",
                        "--batch=16",
                        "--latency=0",
                        "--trace=" + folder.resolve("trace.json"),
                        "--chart=" + folder.resolve("chart.png")))
                .isZero();
        assertThat(out.toString()).contains("local ").doesNotContain("tcp");
    }
}
