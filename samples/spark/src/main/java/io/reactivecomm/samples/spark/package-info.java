/** Logistic regression on a DataFrame of Spark, trained by ranks in a barrier stage. */
@NullMarked
package io.reactivecomm.samples.spark;

import org.jspecify.annotations.NullMarked;
