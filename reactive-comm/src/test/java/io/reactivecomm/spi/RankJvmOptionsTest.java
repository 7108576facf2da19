package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankJvmOptionsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5005",
                "-agentlib:jdwp=transport=dt_socket,server=y",
                "-Xrunjdwp:transport=dt_socket,address=5005",
                "-agentpath:/opt/profiler.so=start,event=cpu,file=profile.html",
                "-javaagent:/opt/coverage.jar=output=tcpserver,port=6300",
                "-Dcom.sun.management.jmxremote.port=9010",
                "-Dcom.sun.management.jmxremote.rmi.port=9011",
                "-Dcom.sun.management.config.file=management.properties",
                "-XX:AOTCacheOutput=app.aot",
                "-XX:AOTConfiguration=app.aotconf",
                "-XX:AOTMode=record",
                "-XX:ArchiveClassesAtExit=app.jsa",
                "-XX:+AutoCreateSharedArchive",
                "-XX:DumpLoadedClassList=classes.txt",
                "-XX:StartFlightRecording=filename=job.jfr",
                "-XX:StartFlightRecording:delay=1s,filename=job.jfr,maxsize=10m",
                "-XX:StartFlightRecording:filename=\"a, b.jfr\"",
                "-Xlog:gc*:file=gc.log",
                "-Xlog:gc*=debug:gc.log:time,level:filecount=5",
                "-Xlog:gc:file=\"a:b.log\"",
                "-Xloggc:gc.log",
                "-XX:LogFile=compiler.log",
                "-XX:PerfDataSaveFile=perf.data"
            })
    void shared_optionOfOneProcess_isLeftOut(String option) {
        assertThat(RankJvmOptions.shared(List.of("-Xmx1g", option, "-ea"))).containsExactly("-Xmx1g", "-ea");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-XX:AOTCache=app.aot",
                "-XX:AOTMode=auto",
                "-XX:SharedArchiveFile=app.jsa",
                "-XX:StartFlightRecording",
                "-XX:StartFlightRecording:settings=profile,maxage=1h",
                "-XX:StartFlightRecording:filename=job-%p.jfr",
                "-Xlog:gc*",
                "-Xlog:gc*:stdout",
                "-Xlog:gc*:stderr:uptime",
                "-Xlog:gc*::uptime",
                "-Xlog:gc*:file=gc-%p.log",
                "-Xlog:disable",
                "-XX:HeapDumpPath=heap.hprof",
                "-XX:ErrorFile=crash.log",
                "-Dcom.sun.management.jmxremote.port=0",
                "-Dcom.sun.management.jmxremote.authenticate=false",
                "-Dmy.port=9010",
                "-javaagent:/opt/coverage.jar=destfile=coverage.exec,append=true",
                "-agentpath:/opt/profiler.so=start,file=profile-%p.html"
            })
    void shared_optionThatAllMayHave_stays(String option) {
        assertThat(RankJvmOptions.shared(List.of(option))).containsExactly(option);
    }

    @Test
    void shared_recordingIntoAFolder_stays(@TempDir Path folder) {
        String option = "-XX:StartFlightRecording:filename=" + folder;
        assertThat(RankJvmOptions.shared(List.of(option))).containsExactly(option);
    }

    @Test
    void share_variables_loseOnlyWhatOneProcessCanHave() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "JAVA_TOOL_OPTIONS",
                        " -Dname=\"two words\"  -agentlib:jdwp=transport=dt_socket,server=y,address=5005 '-Xlog:gc:file=a b.log' -Xmx1g ",
                "JDK_JAVA_OPTIONS", "-XX:AOTCacheOutput=app.aot",
                "_JAVA_OPTIONS", " -ea  -Dit's=1",
                "OTHER", "-XX:AOTCacheOutput=app.aot"));

        assertThat(RankJvmOptions.share(environment))
                .containsExactly(
                        "-agentlib:jdwp=transport=dt_socket,server=y,address=5005",
                        "'-Xlog:gc:file=a b.log'",
                        "-XX:AOTCacheOutput=app.aot");

        assertThat(environment)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "JAVA_TOOL_OPTIONS", "-Dname=\"two words\" -Xmx1g",
                        "JDK_JAVA_OPTIONS", "",
                        "_JAVA_OPTIONS", " -ea  -Dit's=1",
                        "OTHER", "-XX:AOTCacheOutput=app.aot"));
    }
}
