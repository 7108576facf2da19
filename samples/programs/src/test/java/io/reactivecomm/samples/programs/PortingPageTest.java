package io.reactivecomm.samples.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.Collectives;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommSwitches;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.CustomReduction;
import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Work;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.compression.reduce.LoCoReduceScatter;
import io.reactivecomm.compression.reduce.QuantizedAllGather;
import io.reactivecomm.compression.reduce.QuantizedReduceScatter;
import io.reactivecomm.deepspeed.DeepSpeedConfig;
import io.reactivecomm.deepspeed.OneBitParams;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.timing.CallTiming;
import io.reactivecomm.timing.CommsLogger;
import io.reactivecomm.timing.CommsLoggerOptions;
import io.reactivecomm.timing.CommsSummary;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.MissingGradients;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.Scaling;
import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.TrainingStep;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The pages for users of other libraries name public methods that exist, with as many parameters, and all of those that communicate. */
class PortingPageTest {

    private static final Path PAGES = Path.of("..", "..", "docs");

    /** Whose methods the pages name. One without a type before it is of any of them. */
    private static final List<Class<?>> API = List.of(
            ReactiveComm.class,
            ProcessGroup.class,
            Collectives.class,
            CoalesceScope.class,
            GroupMesh.class,
            Dimension.class,
            CommConfig.class,
            CommTimeoutException.class,
            Work.class,
            ReduceOp.class,
            PreMulSum.class,
            CustomReduction.class,
            SparseTensor.class,
            GradientBuckets.class,
            BucketOptions.class,
            Scaling.class,
            Gradient.class,
            GradientHooks.class,
            HookScope.class,
            MissingGradients.class,
            ParallelHooks.class,
            StepEnd.class,
            TrainingStep.class,
            CommsLogger.class,
            CommsLoggerOptions.class,
            CommsSummary.class,
            CallTiming.class,
            CompressedAllReduce.class,
            QuantizedReduceScatter.class,
            QuantizedAllGather.class,
            LoCoReduceScatter.class,
            OneBit.class,
            EngineProvider.class,
            Subscription.class,
            Flux.class,
            Mono.class,
            CommSwitches.class,
            DeepSpeedConfig.class,
            OneBitParams.class,
            CompressionOptions.class);

    /** The second column of a table is what is here. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\|[^|]*\\|([^|]*)\\|");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** A method with its parameters as far as they have none of their own, or without; a constant; a constructor. */
    private static final Pattern NAME =
            Pattern.compile("(?:\\b([A-Z]\\w*)\\.)?\\b([a-zA-Z]\\w*)(\\((?:([^()]*)\\))?)?");

    private static final Pattern SETTINGS = Pattern.compile("RCOMM_\\w+|backward");

    @ParameterizedTest
    @ValueSource(strings = {"from-deepspeed.md", "from-torch.md", "from-horovod.md", "from-mpi.md"})
    void namesOnThePage_areThere(String page) throws IOException {
        assertThat(missing(Files.readString(PAGES.resolve(page)))).isEmpty();
    }

    /** Off the page, a method would be one that users of the other library do not find. */
    @ParameterizedTest
    @ValueSource(strings = {"from-deepspeed.md", "from-torch.md", "from-horovod.md", "from-mpi.md"})
    void methodsThatCommunicate_areOnThePage(String page) throws IOException {
        Set<String> named = names(Files.readString(PAGES.resolve(page)))
                .map(name -> name.group(2))
                .collect(Collectors.toSet());
        assertThat(Stream.of(Collectives.class, ProcessGroup.class)
                        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                        .filter(method -> !Modifier.isStatic(method.getModifiers()) && communicates(method))
                        .map(Method::getName))
                .isSubsetOf(named);
    }

    /** Calls of {@link Collectives} return what their type parameter says. */
    private static boolean communicates(Method method) {
        return Publisher.class.isAssignableFrom(method.getReturnType()) || method.getReturnType() == Object.class;
    }

    @Test
    void whatIsNotThere_isSeen() {
        String head = "| there | here | differences |\n|---|---|---|\n| `nothing()` | ";
        assertThat(missing(head
                        + "`allReduce(tensor, op)`, `group.rank()`, `ReduceOp.SUM`, `using`, `new PreMulSum(f)` | |"))
                .isEmpty();
        assertThat(
                        missing(
                                head
                                        + "`allReduced`, `allReduce(one)`, `rank(1)`, `ReduceOp.NONE`, `new PreMulSum(1, 2)` | `nothing()` |"))
                .containsExactly("PreMulSum(1, 2)", "ReduceOp.NONE", "allReduce(one)", "allReduced", "rank(1)");
    }

    private static Set<String> missing(String page) {
        return names(page)
                .filter(name -> !isThere(name.group(1), name.group(2), name.group(4)))
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** {@return the names that say something: variables of an example do not} */
    private static Stream<MatchResult> names(String page) {
        return ROW.matcher(page)
                .results()
                .flatMap(row -> CODE.matcher(row.group(1)).results())
                .map(code -> code.group(1))
                .flatMap(code -> NAME.matcher(code)
                        .results()
                        .filter(name -> name.group(1) != null
                                || name.group(3) != null
                                || name.group().equals(code)))
                .filter(name -> !SETTINGS.matcher(name.group()).matches());
    }

    private static boolean isThere(@Nullable String owner, String name, @Nullable String parameters) {
        if (Character.isUpperCase(name.charAt(0)) && owner == null) {
            return API.stream()
                    .filter(type -> type.getSimpleName().equals(name))
                    .anyMatch(
                            type -> parameters == null || hasArity(Arrays.stream(type.getConstructors()), parameters));
        }
        List<Class<?>> owners = API.stream()
                .filter(type -> owner == null || type.getSimpleName().equals(owner))
                .toList();
        Stream<Method> methods = owners.stream()
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(method -> method.getName().equals(name));
        return parameters == null
                ? methods.findAny().isPresent()
                        || owners.stream()
                                .flatMap(type -> Arrays.stream(type.getFields()))
                                .anyMatch(field -> field.getName().equals(name))
                : hasArity(methods, parameters);
    }

    private static boolean hasArity(Stream<? extends Executable> overloads, String parameters) {
        int count = parameters.isBlank() ? 0 : parameters.split(",").length;
        return overloads.anyMatch(each -> each.isVarArgs() || each.getParameterCount() == count);
    }
}
