package io.reactivecomm.spark;

import org.apache.spark.sql.SparkSession;

/** Sessions of Spark for tests. */
final class LocalSpark {

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
