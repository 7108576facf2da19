package io.reactivecomm.deepspeed;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ObserverProvider;
import io.reactivecomm.deepspeed.OneBitParams.AdamParams;
import io.reactivecomm.deepspeed.OneBitParams.LambCoefficients;
import io.reactivecomm.deepspeed.OneBitParams.OneBitAdamParams;
import io.reactivecomm.deepspeed.OneBitParams.OneBitLambParams;
import io.reactivecomm.deepspeed.OneBitParams.ZeroOneAdamParams;
import io.reactivecomm.internal.base.Providers;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Scaling;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The keys of a DeepSpeed configuration, and what they mean here. */
final class DeepSpeedKeys {

    private static final String ZERO = "zero_optimization";
    private static final String BUCKET_SIZE = "reduce_bucket_size";
    private static final String PREDIVIDE = "gradient_predivide_factor";
    private static final String PRESCALE = "prescale_gradients";
    private static final String OP = "gradient_allreduce_op";
    private static final String TYPE = "communication_data_type";
    private static final String OPTIMIZER = "optimizer";
    private static final String LOGGER = "comms_logger";

    private static final String ONE_BIT_ADAM = "onebitadam";
    private static final String ZERO_ONE_ADAM = "zerooneadam";
    private static final Set<String> ONE_BIT = Set.of(ONE_BIT_ADAM, ZERO_ONE_ADAM, "onebitlamb");

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private static final String PROGRAM = "is the program's own: the library communicates and does not train";
    private static final String NO_PARTITIONS =
            "the library does not partition parameters or states; each rank has all";
    private static final String PRECISION = "loss scales and copies of parameters are the program's own";
    private static final String SEQUENCES = "a group for sequences has buckets, and a type, of its own";
    private static final String BACKEND = "engines are chosen by RCOMM_BACKEND";

    private static final Map<String, String> REASONS = Map.ofEntries(
            Map.entry("gradient_clipping", "the program clips, after the reduction"),
            Map.entry("sparse_gradients", "a gradient that is handed over as a SparseTensor is reduced as one"),
            Map.entry("disable_allgather", NO_PARTITIONS),
            // The source reads the first key; the documentation names the second.
            Map.entry("seq_parallel_comm_data_type", SEQUENCES),
            Map.entry("seq_parallel_communication_data_type", SEQUENCES),
            Map.entry("data_types", "gradients have the type in which the program hands them over"));

    private static final Map<String, String> ZERO_REASONS = Map.ofEntries(
            Map.entry("overlap_comm", "communication always overlaps the backward pass"),
            Map.entry(
                    "contiguous_gradients",
                    "gradients are contiguous where GradientBuckets.allocate() gives their memory"),
            Map.entry("reduce_scatter", "buckets are all-reduced; each rank gets all gradients"),
            Map.entry("use_multi_rank_bucket_allreduce", "buckets are all-reduced; each rank gets all gradients"),
            Map.entry("ignore_unused_parameters", "a gradient that is missing counts as zeros"),
            Map.entry("zero_quantized_gradients", "the program chooses QuantizedReduceScatter"),
            Map.entry("zero_quantized_weights", "the program chooses QuantizedAllGather"),
            Map.entry("zeropp_loco_param", "the program chooses LoCoReduceScatter, with LoCoOptions"));

    private static final Map<String, String> PARAM_REASONS = Map.of(
            "cuda_aware",
            BACKEND,
            "comm_backend_name",
            BACKEND,
            "max_grad_norm",
            "the program clips, after the reduction");

    private static final String OTHER_PARAM = "the optimizers of the samples do not have it";

    private final Map<String, String> ignored = new TreeMap<>();
    private final String json;
    private final Block all;

    DeepSpeedKeys(String json) {
        this.json = !json.isEmpty() && json.charAt(0) == BYTE_ORDER_MARK ? json.substring(1) : json;
        this.all = Block.of(this.json, ignored);
    }

    DeepSpeedConfig config() {
        DType type = communicationType();
        BucketOptions buckets = BucketOptions.DEFAULT
                .withBucketBytes(bucketBytes(type))
                .withCommunicationType(type)
                .withScaling(scaling());
        Optional<OneBitParams> optimizer = optimizer();
        Optional<CommObserver> logger = logger();
        all.ignoreRest(REASONS, PROGRAM);
        return new DeepSpeedConfig(buckets, logger, optimizer, ignored);
    }

    private Optional<CommObserver> logger() {
        Block block = all.block(LOGGER);
        block.passAll();
        Providers<ObserverProvider> providers = Providers.of(ObserverProvider.class);
        Optional<CommObserver> logger = providers.loaded().stream()
                .flatMap(each -> each.deepSpeedObserver(json).stream())
                .findFirst();
        if (logger.isEmpty() && block.flag("enabled", false)) {
            throw new InvalidCallException("a DeepSpeed configuration asks for a module that is not on the class path: "
                    + "key=" + LOGGER + ".enabled" + providers.failuresText()
                    + "; add reactive-comm-timing to the class path");
        }
        return logger;
    }

    /** {@return the type that is named, else that of the training, else null for each gradient's own} */
    private @Nullable DType communicationType() {
        boolean isHalf = enabled("fp16");
        boolean isBrain = enabled(all.has("bf16") ? "bf16" : "bfloat16");
        if (isHalf && isBrain) {
            throw new InvalidCallException(
                    "a DeepSpeed configuration trains in two types: fp16.enabled=true, bf16.enabled=true; choose one");
        }
        all.pass(TYPE);
        String name = all.isNull(TYPE) ? null : all.text(TYPE);
        if (name == null) {
            return isHalf ? DType.FLOAT16 : isBrain ? DType.BFLOAT16 : null;
        }
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "fp16" -> DType.FLOAT16;
            case "bf16" -> DType.BFLOAT16;
            case "fp32" -> DType.FLOAT32;
            default -> throw all.wrong(TYPE, "write fp16, bf16 or fp32");
        };
    }

    private boolean enabled(String key) {
        Block block = all.block(key);
        boolean isEnabled = block.flag("enabled", false);
        block.ignoreRest(Map.of(), PRECISION);
        return isEnabled;
    }

    private Scaling scaling() {
        boolean isPrescaled = all.flag(PRESCALE, false);
        double factor = all.number(PREDIVIDE, 1);
        String op = Objects.requireNonNullElse(all.text(OP), "mean").toLowerCase(Locale.ROOT);
        if (!op.equals("mean") && !op.equals("sum")) {
            throw all.wrong(OP, "write mean or sum");
        }
        if (op.equals("sum")) {
            noEffect(PRESCALE, "the sum is not scaled");
            noEffect(PREDIVIDE, "the sum is not scaled");
            return Scaling.SUM;
        }
        if (isPrescaled) {
            noEffect(PREDIVIDE, "gradients are divided by the number of ranks before the sum");
            return Scaling.PRESCALE;
        }
        if (!(factor >= Scaling.Predivide.LEAST && factor <= Scaling.Predivide.MOST)) {
            throw all.wrong(PREDIVIDE, "write a number between 1 and the number of ranks, as a rule");
        }
        return factor == 1 ? Scaling.AVERAGE : Scaling.predivide(factor);
    }

    private void noEffect(String key, String reason) {
        if (all.has(key)) {
            all.ignore(key, reason);
        }
    }

    /** {@return the bytes of a bucket} With no room for an element each gradient is alone, as there. */
    private long bucketBytes(@Nullable DType type) {
        if (all.isBoolean(ZERO)) {
            all.ignore(ZERO, NO_PARTITIONS);
            return BucketOptions.BUCKET_BYTES;
        }
        int width = (type == null ? DType.FLOAT32 : type).byteSize();
        Block zero = all.block(ZERO);
        long elements = zero.count(BUCKET_SIZE, BucketOptions.BUCKET_BYTES / width);
        zero.ignoreRest(ZERO_REASONS, NO_PARTITIONS);
        return elements > Long.MAX_VALUE / width ? Long.MAX_VALUE : Math.max(1, elements * width);
    }

    private Optional<OneBitParams> optimizer() {
        Block optimizer = all.block(OPTIMIZER);
        String type = Objects.requireNonNullElse(optimizer.text("type"), "").toLowerCase(Locale.ROOT);
        if (!ONE_BIT.contains(type)) {
            noEffect(
                    OPTIMIZER,
                    "is the program's own; those that communicate are OneBitAdam, ZeroOneAdam and OneBitLamb");
            return Optional.empty();
        }
        Block params = optimizer.block("params");
        OneBitParams read = params(type, params);
        params.ignoreRest(PARAM_REASONS, OTHER_PARAM);
        optimizer.ignoreRest(Map.of(), PROGRAM);
        return Optional.of(read);
    }

    private static OneBitParams params(String type, Block params) {
        if (type.equals(ONE_BIT_ADAM)) {
            return new OneBitAdamParams(adam(params), freezeStep(params));
        }
        return type.equals(ZERO_ONE_ADAM) ? zeroOneAdam(params) : oneBitLamb(params);
    }

    private static OneBitLambParams oneBitLamb(Block params) {
        return new OneBitLambParams(adam(params), freezeStep(params), coefficients(params));
    }

    private static AdamParams adam(Block params) {
        AdamParams usual = AdamParams.DEFAULT;
        double[] betas = params.numbers("betas", usual.beta1(), usual.beta2());
        return new AdamParams(
                params.number("lr", usual.learningRate()), betas[0], betas[1], params.number("eps", usual.epsilon()));
    }

    private static long freezeStep(Block params) {
        return params.count("freeze_step", OneBitParams.DEFAULT_FREEZE_STEP);
    }

    private static ZeroOneAdamParams zeroOneAdam(Block params) {
        ZeroOneAdamParams usual = ZeroOneAdamParams.DEFAULT;
        return new ZeroOneAdamParams(
                adam(params),
                params.count("var_freeze_step", usual.varFreezeStep()),
                params.count("var_update_scaler", usual.varUpdateScaler()),
                params.count("local_step_scaler", usual.localStepScaler()),
                params.count("local_step_clipper", usual.localStepClipper()));
    }

    private static LambCoefficients coefficients(Block params) {
        LambCoefficients usual = LambCoefficients.DEFAULT;
        return new LambCoefficients(
                params.number("max_coeff", usual.maxCoeff()),
                params.number("min_coeff", usual.minCoeff()),
                params.number("coeff_beta", usual.coeffBeta()),
                params.number("factor_max", usual.factorMax()),
                params.number("factor_min", usual.factorMin()),
                params.number("factor_threshold", usual.factorThreshold()));
    }
}
