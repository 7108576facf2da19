package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The sentences of {@code rcomm} about its use, and about a wrong one. */
@Timeout(60)
class RcommUsageTest {

    private final RcommCalls rcomm = new RcommCalls();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "train --help",
                "perf --help",
                "perf compressed --help",
                "overlap --help",
                "plan --help",
                "timeline --help",
                "report --help",
                "doctor --help",
                "run --help",
                "hosts --help",
                "top --help",
                "gpu-check --help",
                "flags --help",
                "cache --help"
            })
    void help_eachCommand_showsUsage(String arguments) {
        assertThat(rcomm.run(arguments.split(" "))).isZero();
        assertThat(rcomm.out()).contains("Usage: rcomm").contains("--help");
        assertThat(rcomm.err()).isEmpty();
    }

    @Test
    void error_standardErrorTakesNothing_isSaidOnStandardOutput() {
        StringWriter out = new StringWriter();
        PrintWriter closed = new PrintWriter(Writer.nullWriter());
        closed.close();
        CommandLine command = Rcomm.commandLine();
        command.setOut(new PrintWriter(out));
        command.setErr(closed);
        assertThat(command.execute("run", "-n", "0", "true")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(command.execute("run", "-n", "1", "no-such-program")).isEqualTo(127);
        assertThat(out.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("rcomm run: number of ranks is not positive"),
                        line -> assertThat(line).startsWith("rcomm run: command not found: command=no-such-program"));
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
                "train --compress int8 --density 0.1 | a codec's option without the codec: density=0.1, compress=[int8]; add top-k to --compress, or leave out --density",
                "train --compress int8 --tau 0.1 | without the codec: tau=0.1, compress=[int8]; add threshold to --compress",
                "train --compress int8,top-k --powersgd-rank 1 | powersgd-rank=1, compress=[int8, top-k]; add powersgd",
                "train --optimizer one-bit-adam --tau 1 | without the codec: tau=1.0, compress=[]",
                "train --density 0.1 | without the codec: density=0.1, compress=[]",
                "train --warm-up 5 | nothing is compared: warm-up=5; say what with --compress or --optimizer, or leave out --warm-up",
                "train --optimizer sgd --warm-up 5 | nothing is compared: warm-up=5",
                "train --optimizer adam,lamb --warm-up 5 | no optimizer has a warm-up: warm-up=5, optimizer=[adam, lamb]",
                "train --compress int8 --epochs 1 --warm-up 45 | the warm-up is as long as the training: warm-up=45, steps=45; take fewer, or more epochs",
                "train --optimizer one-bit-adam --epochs 1 --batch 700 --warm-up 4 | as long as the training: warm-up=4, steps=3",
                "train --compress int8 --quiet | a comparison has no lines of epochs to leave out: quiet=true; leave out --quiet",
                "train --compress int8 --json / | cannot write to that path: json=/, because it is a folder",
                "train --device tpu | unknown device: device=tpu; choose one of cpu, cuda",
                "train --device cuda --optimizer adam | optimizers with a memory have their gradients in the host's: device=cuda, optimizer=[adam]",
                "train --device cuda --transport mpi | what is beside them by links: device=cuda, transport=mpi; choose tcp or shm",
                "overlap --device cuda --rate 1gbit | an option has no effect there: option=--rate, device=cuda; leave it out",
                "overlap --backward 5ms | an option has no effect there: option=--backward, device=cpu; leave it out",
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
                "perf compressed --codec two-bit | unknown codec: codec=two-bit; choose one of one-bit, int8, int4, top-k, threshold, powersgd",
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
                "doctor | DUMPS",
                "plan | OP",
                "plan all-reduce | --ranks",
                "plan all-reduce --ranks 0 | number of ranks is not positive: ranks=0; plan for at least one",
                "plan all-reduce --ranks 4 --bytes -1 | a size is negative: bytes=-1",
                "plan all-reduce --ranks 4 --bandwidth-gbps 0 | bandwidth is not positive: bandwidth-gbps=0.0",
                "plan all-reduce --ranks 4 --latency-us -1 | latency is negative: latency-us=-1.0",
                "plan all-reduce --ranks 4 --host-bandwidth-gbps 0 | bandwidth is not positive: host-bandwidth-gbps=0.0",
                "plan all-reduce --ranks 4 --host-latency-us -1 | latency is negative: host-latency-us=-1.0",
                "plan all-reduce --ranks 4 --dtype bool | elements cannot be reduced: op=SUM, dtype=BOOL",
                "plan all-reduce --ranks 4 --algorithm bruck | no such algorithm for this call: op=all-reduce, bytes=4, algorithm=bruck",
                "plan message --ranks 2 | no algorithm to choose: operation=message",
                "plan all-reduce --ranks 4 --algorithms all-reduce=rung | unknown algorithm=rung; choose",
                "report | PARTS",
                "report pom.xml | a file is no part of a timeline: file=pom.xml, because its first line is not [",
                "report src | there is no event in any part: parts=0",
                "train --report . | cannot write to that path: report=., because it is a folder; choose another with --report",
                "perf all-reduce --transport tcp,local --report target/r.html | a report is of one world: worlds=2",
                "timeline | PART",
                "timeline pom.xml | --output",
                "timeline pom.xml -o target/trace.json | a file is no part of a timeline: file=pom.xml, because its first line is not [",
                "timeline no-such-file -o target/trace.json | a part of a timeline cannot be read: file=no-such-file",
                "overlap --timeline . | cannot write to that path: timeline=., because it is a folder; choose another with --timeline",
                "gpu-check --json / | cannot write to that path: json=/, because it is a folder; choose another with --json",
                "gpu-check --pack . | cannot write to that path: pack=., because it is a folder",
                "run -n 0 true | number of ranks is not positive: n=0",
                "hosts true | --hosts",
                "hosts --hosts 2 | COMMAND",
                "hosts --hosts 0 true | number of hosts is out of range: hosts=0; take 1 to 250",
                "hosts --hosts 2 --ranks-per-host 0 true | number of ranks is out of range: ranks-per-host=0, hosts=2; start at least one on each host",
                "hosts --hosts 2 --rate fast true | cannot read the rate: rate=fast; write it like 1gbit, 100mbit or 0",
                "hosts --hosts 2 --latency-ms -1 true | latency is out of range: latency-ms=-1; give --latency-ms 0 to 5000",
                "hosts --hosts 2 --latency-ms 5000.5 true | latency is out of range: latency-ms=5000.5; give --latency-ms 0 to 5000",
                "hosts --hosts 2 --latency-ms NaN true | latency is not a number: latency-ms=NaN; give --latency-ms milliseconds",
                "hosts --hosts 1 --wire true | no wire to measure: hosts=1; take two hosts, or leave out --wire",
                "top nowhere | cannot read the job's address: address=nowhere; write HOST:PORT",
                "top --every 0.01 127.0.0.1:1 | interval is out of range: every=0.01; choose 0.1 to 10 seconds",
                "top --rows 0 127.0.0.1:1 | number of rows is not positive: rows=0",
                "frobnicate | frobnicate"
            })
    void execute_wrongUsage_saysSoInOneLine(String arguments, String message) {
        assertThat(rcomm.run(arguments.split(" "))).isEqualTo(2);
        assertThat(rcomm.err().lines())
                .singleElement()
                .asString()
                .startsWith("rcomm")
                .contains(message);
    }

    @Test
    void help_ofHosts_showsWhatHasADefaultAsAnOption() {
        assertThat(rcomm.run("hosts", "--help")).isZero();
        assertThat(rcomm.out()).contains("rcomm hosts --hosts H [--ranks-per-host N] [--rate RATE]");
    }

    @Test
    void execute_nothing_namesTheCommands() {
        assertThat(rcomm.run()).isEqualTo(2);
        assertThat(rcomm.err())
                .contains(
                        "choose train, perf, overlap, plan, report, timeline, doctor, gpu-check, run, hosts, top, token, flags or cache");
    }

    @Test
    void progress_isOfWhatTakesLong_unlessItIsNotWanted() {
        assertThat(Rcomm.showsProgress(List.of("train", "--ranks", "2"))).isTrue();
        assertThat(Rcomm.showsProgress(List.of("--verbose", "perf", "all-reduce")))
                .isTrue();
        assertThat(Rcomm.showsProgress(List.of("overlap", "--no-progress"))).isFalse();
        assertThat(Rcomm.showsProgress(List.of("train", "--join"))).isFalse();
        assertThat(Rcomm.showsProgress(List.of("run", "-n", "2", "train"))).isFalse();
        assertThat(Rcomm.showsProgress(List.of("hosts", "--hosts", "2", "train")))
                .isFalse();
        assertThat(Rcomm.showsProgress(List.of("top"))).isFalse();
        assertThat(rcomm.run("train", "--no-progress", "--epochs", "0")).isEqualTo(2);
        assertThat(rcomm.err()).contains("number of epochs");
    }

    @Test
    void run_unknownCommand_exits127() {
        assertThat(rcomm.run("run", "-n", "2", "no-such-program")).isEqualTo(127);
        assertThat(rcomm.err().lines())
                .singleElement()
                .asString()
                .isEqualTo(
                        "rcomm run: command not found: command=no-such-program; check the spelling, or give its path");
    }
}
