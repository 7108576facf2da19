package io.reactivecomm.spark;

import java.lang.management.ManagementFactory;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** Sessions of Spark for tests. */
final class LocalSpark {

    /** The options of a JVM that Spark's launcher gives, as this JVM has them. */
    static final List<String> OPENS = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(each -> each.startsWith("--add-opens") || each.startsWith("--sun-misc"))
            .toList();

    private LocalSpark() {}

    /** {@return a session without a port for browsers} */
    static SparkSession session(String master) {
        return builder(master).getOrCreate();
    }

    static SparkSession.Builder builder(String master) {
        return SparkSession.builder()
                .appName("test")
                .master(master)
                .config("spark.ui.enabled", false)
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.warehouse.dir", "target/warehouse")
                .config("spark.sql.shuffle.partitions", 2);
    }
}
