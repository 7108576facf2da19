package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.Collectives;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CompositeCall;
import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.LogRank;
import io.reactivecomm.Operation;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Timeouts;
import io.reactivecomm.Tuning;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.compression.reduce.CompressionState;
import io.reactivecomm.compression.reduce.LoCoOptions;
import io.reactivecomm.compression.reduce.PowerSgd;
import io.reactivecomm.compression.reduce.PowerSgdOptions;
import io.reactivecomm.compression.reduce.QuantizedAllGather;
import io.reactivecomm.compression.reduce.QuantizedReduceScatter;
import io.reactivecomm.device.Device;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer.Bucket;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A walk over the public methods and constructors of the packages that programs name. Each is given null for one argument that may not be null, and has to
 * say which one that is. Arguments are made from samples; methods that lack one are left out, and there must be few.
 */
class NullArgumentsTest {

    /** One type of each package. */
    private static final List<Class<?>> PACKAGES =
            List.of(Tensor.class, GradientHook.class, Codec.class, CompressionState.class);

    /** Methods that are public for other packages of the library, and those that must not fail: {@code abort} ends a group with any reason. */
    private static final Set<String> LEFT_OUT =
            Set.of("CompositeView", "Switched", "ProcessGroup.abort", "Tensor.enqueued");

    /** The interfaces that the library implements. */
    private static final Set<Class<?>> IMPLEMENTED = Set.of(
            Tensor.class,
            ProcessGroup.class,
            Collectives.class,
            CompositeCall.class,
            LocalWorld.class,
            CoalesceScope.class,
            Reduction.class,
            Codec.class);

    private static final Set<String> PLACES = Set.of("rank", "root", "peer", "index");

    private final LocalWorld world = ReactiveComm.local(1);
    private final List<Object> samples = new ArrayList<>();

    /** A place where null is given. */
    private record Place(Executable executable, int argument) {

        private Parameter parameter() {
            return executable.getParameters()[argument];
        }

        @Override
        public String toString() {
            return executable.getDeclaringClass().getSimpleName() + "." + executable.getName() + ": "
                    + parameter().getType().getSimpleName() + " " + parameter().getName() + " of "
                    + executable.getParameterCount();
        }
    }

    private static List<Class<?>> types() throws Exception {
        List<Class<?>> all = new ArrayList<>();
        for (Class<?> one : PACKAGES) {
            for (String name : classFiles(one)) {
                if (!name.equals("package-info.class")) {
                    all.add(Class.forName(one.getPackageName() + "." + name.substring(0, name.indexOf(".class"))));
                }
            }
        }
        return all.stream().filter(NullArgumentsTest::isWalked).toList();
    }

    /** {@return the names of the class files of a package, in a folder or, once modules are packaged, in a jar} */
    private static List<String> classFiles(Class<?> one) throws Exception {
        Path place =
                Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        String folder = one.getPackageName().replace('.', '/');
        if (Files.isDirectory(place)) {
            return classFiles(place.resolve(folder));
        }
        try (FileSystem jar = FileSystems.newFileSystem(place)) {
            return classFiles(jar.getPath(folder));
        }
    }

    private static List<String> classFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class"))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isWalked(Class<?> type) {
        boolean isPublic = Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null
                        || Modifier.isPublic(type.getEnclosingClass().getModifiers()));
        return isPublic
                && !type.isEnum()
                && !Throwable.class.isAssignableFrom(type)
                && !LEFT_OUT.contains(type.getSimpleName());
    }

    /** {@return whether programs, or other modules, implement a method} */
    private static boolean isForPrograms(Executable method) {
        return Modifier.isAbstract(method.getModifiers()) && !IMPLEMENTED.contains(method.getDeclaringClass());
    }

    private static List<Place> places() throws Exception {
        List<Place> places = new ArrayList<>();
        for (Class<?> type : types()) {
            Stream<Executable> methods =
                    Arrays.stream(type.getDeclaredMethods()).map(each -> each);
            Stream.concat(Arrays.stream(type.getConstructors()), methods)
                    .filter(each -> Modifier.isPublic(each.getModifiers())
                            && !isForPrograms(each)
                            && !each.isSynthetic()
                            && !each.getName().equals("equals"))
                    .filter(each -> !LEFT_OUT.contains(type.getSimpleName() + "." + each.getName()))
                    .sorted(Comparator.comparing(Executable::toGenericString))
                    .forEach(each -> {
                        for (int i = 0; i < each.getParameterCount(); i++) {
                            Parameter parameter = each.getParameters()[i];
                            boolean mayBeNull = parameter.getAnnotatedType().isAnnotationPresent(Nullable.class);
                            if (!parameter.getType().isPrimitive() && !mayBeNull) {
                                places.add(new Place(each, i));
                            }
                        }
                    });
        }
        return places;
    }

    private void makeSamples() {
        ProcessGroup group = world.groups().getFirst();
        Tensor tensor = Tensor.of(new float[] {1, 2});
        Tensor bytes = Tensor.of(new byte[64]).view(DType.UINT8, 64);
        samples.addAll(List.of(
                group,
                world,
                tensor,
                CommConfig.of(0, 1, "127.0.0.1", 29500),
                Duration.ofSeconds(1),
                "text",
                String.class,
                ReduceOp.SUM));
        samples.addAll(List.of(
                Device.CPU,
                Mono.empty(),
                Flux.empty(),
                new long[] {2},
                new int[] {0},
                new float[] {1, 2},
                new double[] {1, 2},
                new byte[64]));
        samples.addAll(
                List.of(List.of(), Map.of(), Set.of(), Path.of("x"), BucketOptions.DEFAULT, Tuning.DEFAULT, bytes));
        samples.addAll(List.of(
                new Timeouts(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                new Gradient("g", tensor),
                new GradientHooks()));
        samples.addAll(List.of(
                GradientBuckets.sum(group), group.composite("c"), Arena.ofAuto().allocate(8)));
        samples.addAll(List.of(
                ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()),
                BlockQuantization.int8(),
                new OneBit(),
                new TopK(0.5)));
        samples.addAll(List.of(
                Threshold.usual(),
                CompressionOptions.inTwoSteps(new OneBit()),
                PowerSgdOptions.DEFAULT,
                LoCoOptions.DEFAULT));
        samples.addAll(List.of(
                CompressedAllReduce.of(CompressionOptions.inTwoSteps(new OneBit())),
                PowerSgd.of(PowerSgdOptions.DEFAULT)));
        samples.addAll(List.of(
                QuantizedAllGather.of(BlockQuantization.int8()), QuantizedReduceScatter.of(BlockQuantization.int8())));
        samples.addAll(List.of(
                CompressedAllReduce.of(CompressionOptions.inTwoSteps(new OneBit()))
                        .state(),
                new Bucket(0, List.of(), tensor, ReduceOp.SUM, List.of())));
        samples.addAll(List.of(
                group.traffic(), LogRank.of(group), new PreMulSum(2), CustomReduction.ofFloats("f", Double::sum)));
        samples.add(new SparseTensor(Tensor.of(new long[] {0}), Tensor.of(new float[] {1}, 1, 1), 2));
    }

    private @Nullable Object sample(Class<?> type, String name) {
        if (name.equals("encoded")) {
            return samples.stream()
                    .filter(each -> each instanceof Tensor tensor && tensor.count() == 64)
                    .findFirst()
                    .orElseThrow();
        }
        if (type.isPrimitive()) {
            return primitive(type, name);
        }
        Object made = samples.stream().filter(type::isInstance).findFirst().orElse(null);
        if (made == null && type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return made == null && type.isInterface() && !type.isSealed() ? stand(type) : made;
    }

    private static @Nullable Object primitive(Class<?> type, String name) {
        int number = PLACES.contains(name) ? 0 : 1;
        if (type == boolean.class) {
            return false;
        }
        if (type == long.class) {
            return (long) number;
        }
        if (type == double.class) {
            return 0.5;
        }
        return type == int.class ? number : null;
    }

    /** {@return an object of an interface of which no method is called} */
    private static Object stand(Class<?> type) {
        return Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> type.getSimpleName();
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    /** {@return the error of a call with null, an error of this test's if the call succeeds, or null if a sample is missing} */
    private @Nullable Throwable error(Place place) throws ReflectiveOperationException {
        Executable executable = place.executable();
        Parameter[] parameters = executable.getParameters();
        Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i == place.argument() ? null : sample(parameters[i].getType(), parameters[i].getName());
            if (i != place.argument() && arguments[i] == null) {
                return null;
            }
        }
        boolean hasTarget = executable instanceof Method && !Modifier.isStatic(executable.getModifiers());
        Class<?> type = executable.getDeclaringClass();
        Object target = hasTarget
                ? samples.stream().filter(type::isInstance).findFirst().orElse(null)
                : null;
        if (hasTarget && target == null) {
            return null;
        }
        try {
            executable.setAccessible(true);
            Object result = executable instanceof Method method
                    ? method.invoke(target, arguments)
                    : ((Constructor<?>) executable).newInstance(arguments);
            if (result instanceof Publisher<?> publisher) {
                Flux.from(publisher).then().block(Duration.ofSeconds(10));
            }
            return new AssertionError("succeeded with null");
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** The JVM's own text begins with «Cannot», and may stand in another error's. */
    private static boolean names(Throwable error, Parameter parameter) {
        String text = String.valueOf(error.getMessage());
        boolean isTheJvms = error.getMessage() == null
                || text.contains("Cannot ")
                || error instanceof ClassCastException
                || error instanceof AssertionError;
        return !isTheJvms && (text.contains(parameter.getName()) || text.contains("null") || text.contains(" no "));
    }

    @Test
    void nullArgument_isRefusedWithItsName() throws Exception {
        makeSamples();
        List<String> wrong = new ArrayList<>();
        List<Place> leftOut = new ArrayList<>();
        List<Place> places = places();
        for (Place place : places) {
            Throwable error = error(place);
            if (error == null) {
                leftOut.add(place);
            } else if (!names(error, place.parameter())) {
                wrong.add(place + ": " + error);
            }
        }
        world.close();
        assertThat(wrong).isEmpty();
        assertThat(places.size()).isGreaterThan(300);
        assertThat(leftOut).hasSizeLessThan(places.size() / 10);
    }

    @Test
    void supports_ofABarrier_needsATypeToo() {
        ProcessGroup group = world.groups().getFirst();
        assertThat(group.supports(Operation.BARRIER, DType.FLOAT32)).isTrue();
        assertThatNullPointerException()
                .isThrownBy(() -> group.supports(Operation.BARRIER, null))
                .withMessage("type");
        world.close();
    }
}
