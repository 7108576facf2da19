package io.reactivecomm.samples.programs.train;

/**
 * One of the trainings that are compared.
 *
 * @param method what it is: a codec, an optimizer, or {@link #UNCOMPRESSED}
 * @param feedsBack whether what encoding loses is added to the next step; true of what loses nothing
 * @param reference the method that it is compared with, which comes before it or is its own
 * @param options of its training
 * @param rule by which it learns
 */
record ComparedTraining(
        String method, boolean feedsBack, String reference, TrainOptions options, LearningRule.Choice rule) {

    /** The method that codecs are compared with: the same buckets, all-reduced. Its bits are those of plain {@code rcomm train}. */
    static final String UNCOMPRESSED = "uncompressed";
}
