package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import jdk.incubator.vector.VectorOperators;

/**
 * The task of one set of {@link FoldLoops}, and its template.
 *
 * <p>Loops over vectors are fast only where the compiler knows the operation, the type and the kind of each operand as constants. An
 * operation that comes as an argument makes every lane of every vector an object. Writing a loop for each of them would be nearly
 * five hundred loops that differ in a word. So there are three templates, {@link VectorLoops}, {@link BFloat16Loops} and {@link
 * Float16Loops}, whose operation is a {@code static final} field. The JVM makes a class of its own from a template's bytes for each
 * form that is used. That is a <em>hidden class</em>, to which the form is handed as its class data. The compiler takes such a field for the
 * constant it is, and all that hangs on it is decided once, when the loop is compiled. A class of its own also has a profile of its own, so
 * no form slows another by what it met.
 *
 * <p>Loops are called through handles, which the compiler does not look through. Called through their interface, a loop that was new could
 * become part of its caller's code, compiled before the loop had a profile and with calls left in its body. That was
 * 30 times as long, for ever, in every third run.
 *
 * <p>A class is made when its form is first asked for, takes about a millisecond, and stays; a program uses a handful. Any thread.
 *
 * <p><b>Source.</b> JEP 371, <em>Hidden Classes</em>; {@link MethodHandles.Lookup#defineHiddenClassWithClassData}.
 *
 * @param first whether the first operand holds accumulators, a partial result, instead of elements
 * @param others whether all other operands do
 * @param target whether accumulators are to be left, which are not divided
 */
record FoldForm(DType type, ReduceOp op, boolean first, boolean others, boolean target) {

    /** The methods of {@link FoldLoops}. */
    private static final String[] NAMES = {"one", "two", "three", "four"};

    private static final Map<FoldForm, Class<?>> CLASSES = new ConcurrentHashMap<>();
    private static final Map<FoldForm, Warmup[]> WARMUP = new ConcurrentHashMap<>();

    /**
     * {@return handles of new loops of this form by their number of operands less one, for one thread at a time. All of one form share their class, and so their machine code}
     */
    MethodHandle[] loops() {
        try {
            Object loops = CLASSES.computeIfAbsent(this, FoldForm::spun)
                    .getDeclaredConstructor()
                    .newInstance();
            MethodHandle[] handles = new MethodHandle[NAMES.length];
            for (int i = 0; i < NAMES.length; i++) {
                Class<?>[] addresses = Collections.nCopies(i + 2, long.class).toArray(Class<?>[]::new);
                MethodType type =
                        MethodType.methodType(void.class, addresses).appendParameterTypes(long.class, int.class);
                handles[i] = MethodHandles.lookup()
                        .findVirtual(FoldLoops.class, NAMES[i], type)
                        .bindTo(loops);
            }
            return handles;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return whether its loops are compiled, by their number of operands less one} */
    Warmup[] warmth() {
        return WARMUP.computeIfAbsent(this, form -> {
            Warmup[] all = new Warmup[NAMES.length];
            Arrays.setAll(all, i -> new Warmup(() -> new FoldTrial(form, i + 1)));
            return all;
        });
    }

    /** {@return the form that a class made from a template is to have, which asks with its own lookup} */
    static FoldForm of(MethodHandles.Lookup template) {
        try {
            return Objects.requireNonNull(MethodHandles.classData(template, "_", FoldForm.class));
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return whether the accumulated value is divided in the end} */
    boolean divides() {
        return op == ReduceOp.AVG && !target;
    }

    /** {@return what is done lane by lane with two accumulators} */
    VectorOperators.Binary lanewise() {
        boolean isUnsigned = type.family() == DType.Family.UNSIGNED;
        return switch (op) {
            case SUM, AVG -> VectorOperators.ADD;
            case PRODUCT -> VectorOperators.MUL;
            case MIN -> isUnsigned ? VectorOperators.UMIN : VectorOperators.MIN;
            case MAX -> isUnsigned ? VectorOperators.UMAX : VectorOperators.MAX;
            case BAND -> VectorOperators.AND;
            case BOR -> VectorOperators.OR;
            case BXOR -> VectorOperators.XOR;
        };
    }

    /** {@return how the operands of a kind, or the target, become lanes, if that is by the Vector API} */
    VectorLanes<?> lanes(boolean partial) {
        return comparesHalves()
                ? new VectorLanes.Ordered(type, op)
                : VectorLanes.of(partial ? type.accumulator() : type);
    }

    /** {@return whether 16-bit floats are only compared, for which they need not become floats} */
    private boolean comparesHalves() {
        boolean isHalf = type == DType.FLOAT16 || type == DType.BFLOAT16;
        return isHalf && !first && !others && !target && (op == ReduceOp.MIN || op == ReduceOp.MAX);
    }

    private Class<?> spun() {
        String file = template() + ".class";
        try (InputStream template = Objects.requireNonNull(FoldForm.class.getResourceAsStream(file), file)) {
            return MethodHandles.lookup()
                    .defineHiddenClassWithClassData(template.readAllBytes(), this, false)
                    .lookupClass();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Named by their classes, which are never initialised themselves: they have no form. */
    private String template() {
        Class<?> template = switch (type) {
            case FLOAT16 -> comparesHalves() ? VectorLoops.class : Float16Loops.class;
            case BFLOAT16 -> first || others || target || comparesHalves() ? VectorLoops.class : BFloat16Loops.class;
            default -> VectorLoops.class;
        };
        return template.getSimpleName();
    }
}
