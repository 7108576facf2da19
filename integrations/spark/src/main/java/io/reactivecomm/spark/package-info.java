/**
 * Worlds of ranks in barrier stages of Apache Spark. {@link io.reactivecomm.spark.SparkWorld} is the class that programs use.
 */
@NullMarked
package io.reactivecomm.spark;

import org.jspecify.annotations.NullMarked;
