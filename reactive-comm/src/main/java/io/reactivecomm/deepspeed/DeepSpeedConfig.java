package io.reactivecomm.deepspeed;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.base.PrintableText;
import io.reactivecomm.internal.base.Warnings;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.train.BucketOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The communication in a DeepSpeed configuration, as options of this library.
 *
 * {@snippet :
 * DeepSpeedConfig config = DeepSpeedConfig.load(Path.of("ds_config.json"));
 * GradientBuckets buckets = GradientBuckets.of(group, config.buckets());
 * config.commsLogger().ifPresent(group::observe);
 * config.ignored().forEach((key, reason) -> System.out.println(key + ": " + reason));
 * }
 *
 * <p>These keys count:
 * <ul>
 *   <li>{@code zero_optimization.reduce_bucket_size}: elements, of the type in which gradients travel, or of FLOAT32 if that is each gradient's own. Without it
 *       buckets have the library's size, which changes no result.
 *   <li>{@code communication_data_type}; without it {@code fp16.enabled} and {@code bf16.enabled}, as there.
 *   <li>{@code prescale_gradients}, {@code gradient_predivide_factor} and {@code gradient_allreduce_op}: the scaling of buckets.
 *   <li>{@code optimizer}, if it is OneBitAdam, ZeroOneAdam or OneBitLamb.
 *   <li>{@code comms_logger}, as {@code CommsLoggerOptions.ofDeepSpeed} of the artifact reactive-comm-timing reads it.
 * </ul>
 *
 * <p>All other keys are in {@link #ignored()}. One line of the log lists them, once for several ranks of a process. Comments and a comma after the last
 * element are accepted, as there. {@code "auto"}, which Hugging Face's Trainer replaces, counts as no value.
 *
 * @param buckets the options of gradient buckets
 * @param commsLogger a new {@code CommsLogger}; empty if the configuration does not enable it
 * @param optimizer the parameters of a 1-bit optimizer; empty for others, which do not communicate
 * @param ignored the reason for each key that has no effect here, sorted by the keys; those in blocks have dots, such as {@code zero_optimization.stage}
 */
public record DeepSpeedConfig(
        BucketOptions buckets,
        Optional<CommObserver> commsLogger,
        Optional<OneBitParams> optimizer,
        Map<String, String> ignored) {

    private static final Logger LOG = Warnings.of(DeepSpeedConfig.class);

    /** Of a line in the log. */
    private static final int MOST_LETTERS = 2000;

    private static final AtomicReference<@Nullable String> SAID = new AtomicReference<>();

    public DeepSpeedConfig {
        Objects.requireNonNull(buckets, "buckets");
        Objects.requireNonNull(commsLogger, "commsLogger");
        Objects.requireNonNull(optimizer, "optimizer");
        ignored = Collections.unmodifiableMap(new LinkedHashMap<>(ignored));
    }

    /**
     * {@return the communication in the text of a configuration}
     *
     * @throws InvalidCallException if it is no JSON object, has a key twice, a key that counts has a value of another type or out of range, or
     *     {@code comms_logger} is enabled and reactive-comm-timing is not on the class path
     */
    public static DeepSpeedConfig of(String json) {
        Objects.requireNonNull(json, "a DeepSpeed configuration is missing: json=null; give its text");
        DeepSpeedConfig config = new DeepSpeedKeys(json).config();
        String keys = PrintableText.escaped(String.join(", ", config.ignored.keySet()));
        if (!keys.isEmpty() && !keys.equals(SAID.getAndSet(keys))) {
            LOG.warn(
                    "keys of a DeepSpeed configuration have no effect here: {}; DeepSpeedConfig.ignored() has the reasons",
                    keys.length() > MOST_LETTERS ? keys.substring(0, MOST_LETTERS) + "…" : keys);
        }
        return config;
    }

    /**
     * {@return the communication in a file}
     *
     * @throws InvalidCallException as {@link #of}, and if it cannot be read as UTF-8
     */
    public static DeepSpeedConfig load(Path file) {
        Objects.requireNonNull(file, "a DeepSpeed configuration is missing: file=null; give a path");
        String json;
        try {
            json = Files.readString(file);
        } catch (IOException e) {
            throw new InvalidCallException(
                    "a DeepSpeed configuration cannot be read: file=" + file.toAbsolutePath() + ", cause=" + e
                            + "; name a text file in UTF-8",
                    e);
        }
        try {
            return of(json);
        } catch (InvalidCallException e) {
            throw new InvalidCallException(e.getMessage() + "; file=" + file.toAbsolutePath(), e);
        }
    }
}
