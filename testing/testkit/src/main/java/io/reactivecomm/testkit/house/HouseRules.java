package io.reactivecomm.testkit.house;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.members;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.resolvers.SelectedClassResolverFromClasspath;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.reactivecomm.Tensor;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * The lines of the house that a compiler does not hold: which package may know which, and what nobody may use. A test
 * holds them for the modules on its class path; on that of {@code tools/rcomm} all are. In the drawing {@code backend}, {@code base}, {@code composite},
 * {@code engine}, {@code group}, {@code local}, {@code schedule}, {@code stream} and {@code transfer} are below
 * {@code io.reactivecomm.internal}.
 *
 * <pre>
 *   base ← all packages of the library
 *   root ← collective ← schedule, spi ┐
 *   root ← kernel ────────────────────┴← transfer ← engine ← backend ← group ← local
 *   root ← stream ←─────────────────────────────────┘                    │
 *   root ← kernel, collective ← composite ←──────────────────────────────┘
 *   root ← kernel ← train, with the internal package of its name
 *   root ← collective ← spi ← sequence
 *   all of these ← each transport by itself
 * </pre>
 */
public final class HouseRules {

    static final String ROOT = "io.reactivecomm";

    /** What programs, and authors of transports, engines and codecs, do not name: it may change in any version. */
    static final String INTERNAL = ROOT + ".internal";

    /** Internal packages of the library and of all other modules; captures the package of the module. */
    static final Pattern INTERNALS = Pattern.compile("(io\\.reactivecomm(?:\\.\\w+)*?)\\.internal(?:\\..*)?");

    /** Packages of modules that stand beside the library; they know it, and not each other. */
    private static final List<String> BESIDE =
            List.of("netty", "shm", "nccl", "mpi", "launch", "compression", "timing", "metrics", "observability");

    /** Captures which of them a class belongs to. */
    public static final String EACH_BESIDE = ROOT + ".(" + String.join("|", BESIDE) + ")..";

    /** {@code rcomm plan} prints which algorithm the library would take, and why. */
    private static final String SHOWS_CHOICES = ROOT + ".rcomm.plan..";

    /** The slow transport hosts groups of its own. */
    private static final String HOSTS_GROUPS = ROOT + ".rcomm.latency.DelayedTransport";

    /**
     * Where a stream of objects may be a superclass, for which the rule against Java serialization asks: in {@code java.io}, and in the
     * libraries that come with this one and with its programs.
     */
    private static final String[] STREAMS_OF_OBJECTS = {
        "java.io",
        "java.rmi",
        "io.netty",
        "reactor",
        "org.reactivestreams",
        "tools.jackson",
        "com.fasterxml",
        "com.github.benmanes",
        "org.slf4j",
        "ch.qos.logback",
        "picocli",
        "org.knowm"
    };

    /**
     * Who writes and reads notes of the library's own, in tensors that it has taken from the host's memory itself: a rank's to the leader, those of
     * streams, the headers and bytes of objects.
     */
    private static final String[] OWN_NOTES = {
        ROOT + ".sequence.NoticeChannel",
        INTERNAL + ".stream.ControlMessages",
        INTERNAL + ".composite.ObjectHeader",
        INTERNAL + ".composite.BoundedCodec"
    };

    /** The door to elements of codecs, and of factors of matrices, which are kernels of the host's memory: what comes there has been moved to it, or is refused. */
    private static final String CODECS = ROOT + ".compression.internal.call.HostMemory";

    /** The types that load a library of the machine's. */
    private static final String[] NATIVE_LIBRARIES = {ROOT + ".mpi.MpiLibrary", ROOT + ".nccl.NcclLibrary"};

    /** The type that knows in which encoding the JVM hands text to other processes. */
    private static final String ENCODING = ROOT + ".launch.SystemEncoding";

    private HouseRules() {}

    /** {@return the classes of the class path that are the project's own, without tests} */
    public static JavaClasses production() {
        return production(ROOT);
    }

    /** {@return those of them that are in some packages, and below} */
    public static JavaClasses production(String... packages) {
        return read(importer ->
                importer.withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(packages));
    }

    /**
     * {@return classes, with those that they name known as far as the rules ask}
     *
     * <p>Classes that the imported ones name, and that no rule is about, are known by their names alone: to read the JDK's took most of the
     * import.
     */
    public static JavaClasses read(Function<ClassFileImporter, JavaClasses> read) {
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setClassResolver(SelectedClassResolverFromClasspath.class);
            configuration.setClassResolverArguments(STREAMS_OF_OBJECTS);
            return read.apply(new ClassFileImporter());
        });
    }

    /** {@return all rules, for a module to check the classes that it sees} */
    public static List<ArchRule> all() {
        return List.of(
                packagesPointOneWay(),
                PackageRules.haveNoCircles(),
                PackageRules.areSmall(),
                PackageRules.namesHaveOneMeaning(),
                internalsAreTheLibrarysOwn(),
                PackageRules.internalsAreTheirModulesOwn(),
                publicTypesShowNothingInternal(),
                publicTypesExtendNothingInternal(),
                transportsDoNotKnowEachOther(),
                nothingPointsBack(),
                noSystemPropertiesInsideTypes(),
                threadsKeepNoClassLoader(),
                noJavaSerialization(),
                elementsAreReachedInKernels(),
                warningsAreNotLost());
    }

    /** The library's packages know only those below them. */
    public static ArchRule packagesPointOneWay() {
        return layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
                .withOptionalLayers(true)
                .layer("base")
                .definedBy(INTERNAL + ".base..")
                .layer("observe")
                .definedBy(ROOT + ".observe..")
                .layer("observing")
                .definedBy(INTERNAL + ".observe..")
                .layer("recorder")
                .definedBy(ROOT + ".recorder..")
                .layer("root")
                .definedBy(ROOT, ROOT + ".device..", INTERNAL + ".memory..")
                .layer("collective")
                .definedBy(ROOT + ".collective..")
                .layer("schedule")
                .definedBy(INTERNAL + ".schedule..")
                .layer("spi")
                .definedBy(ROOT + ".spi..")
                .layer("kernel")
                .definedBy(ROOT + ".kernel..")
                .layer("composite")
                .definedBy(INTERNAL + ".composite..")
                .layer("stream")
                .definedBy(INTERNAL + ".stream..")
                .layer("train")
                .definedBy(ROOT + ".train..", INTERNAL + ".train..")
                .layer("sequence")
                .definedBy(ROOT + ".sequence..")
                .layer("timeline")
                .definedBy(ROOT + ".timeline..", INTERNAL + ".timeline..")
                .layer("timing")
                .definedBy(ROOT + ".timing..")
                .layer("deepspeed")
                .definedBy(ROOT + ".deepspeed..")
                .layer("metrics")
                .definedBy(ROOT + ".metrics..")
                .layer("telling")
                .definedBy(INTERNAL + ".live..")
                .layer("transfer")
                .definedBy(INTERNAL + ".transfer..")
                .layer("engine")
                .definedBy(INTERNAL + ".engine..")
                .layer("dump")
                .definedBy(INTERNAL + ".dump..")
                .layer("driver")
                .definedBy(INTERNAL + ".driver..")
                .layer("backend")
                .definedBy(INTERNAL + ".backend..")
                .layer("switches")
                .definedBy(INTERNAL + ".switches..")
                .layer("group")
                .definedBy(INTERNAL + ".group..")
                .layer("local")
                .definedBy(INTERNAL + ".local..")
                .whereLayer("base")
                .mayNotAccessAnyLayer()
                .whereLayer("observe")
                .mayNotAccessAnyLayer()
                .whereLayer("recorder")
                .mayNotAccessAnyLayer()
                .whereLayer("observing")
                .mayOnlyAccessLayers("base", "root", "observe", "recorder", "collective", "spi")
                .whereLayer("root")
                .mayOnlyAccessLayers("base", "observe")
                .whereLayer("collective")
                .mayOnlyAccessLayers("root")
                .whereLayer("kernel")
                .mayOnlyAccessLayers("base", "root")
                .whereLayer("schedule")
                .mayOnlyAccessLayers("root", "collective")
                .whereLayer("spi")
                .mayOnlyAccessLayers("base", "root", "collective")
                .whereLayer("composite")
                .mayOnlyAccessLayers("base", "root", "collective", "kernel")
                .whereLayer("stream")
                .mayOnlyAccessLayers("base", "root", "observe")
                .whereLayer("train")
                .mayOnlyAccessLayers("base", "root", "kernel")
                .whereLayer("sequence")
                .mayOnlyAccessLayers("base", "root", "collective", "spi")
                .whereLayer("timeline")
                .mayOnlyAccessLayers("base", "root", "observe")
                .whereLayer("timing")
                .mayOnlyAccessLayers("base", "root", "observe")
                .whereLayer("deepspeed")
                .mayOnlyAccessLayers("base", "root", "observe", "train")
                .whereLayer("metrics")
                .mayOnlyAccessLayers("root", "observe")
                .whereLayer("telling")
                .mayOnlyAccessLayers("base", "root", "observe", "observing", "recorder", "spi")
                .whereLayer("transfer")
                .mayOnlyAccessLayers("root", "observing", "collective", "schedule", "spi", "kernel")
                .whereLayer("engine")
                .mayOnlyAccessLayers(
                        "base", "root", "observe", "observing", "recorder", "collective", "schedule", "spi", "transfer")
                .whereLayer("dump")
                .mayOnlyAccessLayers("recorder", "spi", "base")
                .whereLayer("driver")
                .mayOnlyAccessLayers(
                        "base",
                        "root",
                        "observing",
                        "recorder",
                        "collective",
                        "spi",
                        "stream",
                        "transfer",
                        "dump",
                        "engine")
                .whereLayer("backend")
                .mayOnlyAccessLayers("base", "root", "observing", "collective", "spi", "engine", "driver")
                .whereLayer("switches")
                .mayOnlyAccessLayers("root", "collective", "spi", "engine", "backend")
                .whereLayer("group")
                .mayOnlyAccessLayers(
                        "base",
                        "root",
                        "observe",
                        "observing",
                        "recorder",
                        "collective",
                        "schedule",
                        "spi",
                        "kernel",
                        "composite",
                        "stream",
                        "transfer",
                        "telling",
                        "engine",
                        "driver",
                        "backend",
                        "switches")
                .whereLayer("local")
                .mayOnlyBeAccessedByLayers("local")
                .as("packages of the library point one way");
    }

    /** Transports and programs name nothing internal, but for what shows the library's own choices. */
    public static ArchRule internalsAreTheLibrarysOwn() {
        return noClasses()
                .that(resideOutsideOfPackages(
                                ROOT,
                                ROOT + ".device..",
                                INTERNAL + "..",
                                ROOT + ".spi..",
                                ROOT + ".kernel..",
                                ROOT + ".train..",
                                ROOT + ".sequence..",
                                ROOT + ".deepspeed..",
                                ROOT + ".timing..",
                                ROOT + ".timeline..",
                                ROOT + ".observability..",
                                ROOT + ".testkit..",
                                ROOT + ".simulator..")
                        .and(DescribedPredicate.not(
                                resideInAPackage(SHOWS_CHOICES).or(name(HOSTS_GROUPS)))))
                .should()
                .dependOnClassesThat(resideInAPackage(INTERNAL + ".."))
                .as("transports and programs name nothing internal");
    }

    /** What a program can name shows it nothing that it cannot. */
    public static ArchRule publicTypesShowNothingInternal() {
        return members()
                .that()
                .areDeclaredInClassesThat(
                        resideOutsideOfPackages(ROOT + "..internal..", ROOT + ".testkit..", ROOT + ".simulator.."))
                .and(DescribedPredicate.describe(
                        "can be named",
                        member -> isPublic(member.getOwner())
                                && (member.getModifiers().contains(JavaModifier.PUBLIC)
                                        || member.getModifiers().contains(JavaModifier.PROTECTED))))
                .should(nameNothingInternal())
                .as("public types show nothing internal");
    }

    /** Nor by a superclass, an interface, or the bound of a type parameter. */
    public static ArchRule publicTypesExtendNothingInternal() {
        return classes()
                .that(resideOutsideOfPackages(ROOT + "..internal..", ROOT + ".testkit..", ROOT + ".simulator.."))
                .and(DescribedPredicate.describe("can be named", HouseRules::isPublic))
                .should(extendNothingInternal())
                .as("public types extend nothing internal");
    }

    private static ArchCondition<JavaClass> extendNothingInternal() {
        return new ArchCondition<>("extend nothing internal") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                Stream.of(
                                type.getSuperclass().stream(),
                                type.getInterfaces().stream(),
                                type.getTypeParameters().stream())
                        .flatMap(each -> each)
                        .flatMap(each -> each.getAllInvolvedRawTypes().stream())
                        .filter(each -> INTERNALS.matcher(each.getPackageName()).matches())
                        .forEach(each -> events.add(SimpleConditionEvent.violated(
                                type, type.getName() + " extends or implements " + each.getName())));
            }
        };
    }

    /** A type in a package-private interface is public, and still cannot be named. */
    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(HouseRules::isPublic).orElse(true);
    }

    private static ArchCondition<JavaMember> nameNothingInternal() {
        return new ArchCondition<>("name nothing internal") {
            @Override
            public void check(JavaMember member, ConditionEvents events) {
                for (JavaClass named : member.getAllInvolvedRawTypes()) {
                    if (INTERNALS.matcher(named.getPackageName()).matches()) {
                        events.add(SimpleConditionEvent.violated(
                                member, member.getFullName() + " names " + named.getName()));
                    }
                }
            }
        };
    }

    /** Transports meet through the library's service interfaces only. */
    public static ArchRule transportsDoNotKnowEachOther() {
        return slices().matching(EACH_BESIDE).should().notDependOnEachOther().allowEmptyShould(true);
    }

    /** The library knows none of the modules that depend on it. */
    public static ArchRule nothingPointsBack() {
        String[] beside = BESIDE.stream().map(name -> ROOT + "." + name + "..").toArray(String[]::new);
        return noClasses()
                .that(resideInAnyPackage(
                        ROOT,
                        INTERNAL + "..",
                        ROOT + ".collective..",
                        ROOT + ".spi..",
                        ROOT + ".kernel..",
                        ROOT + ".train..",
                        ROOT + ".sequence..",
                        ROOT + ".observe..",
                        ROOT + ".timeline..",
                        ROOT + ".recorder.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(beside).or(resideInAPackage("io.netty..")))
                .as("the library depends on no transport");
    }

    /**
     * Settings come in as values: no type of the library or of a transport looks them up in system properties. Only two facts are the
     * JVM's own: where a native library is, as in its java.library.path, and the encoding of the locale.
     */
    public static ArchRule noSystemPropertiesInsideTypes() {
        return noClasses()
                .that(resideOutsideOfPackages(
                                ROOT + ".testkit..", ROOT + ".simulator..", ROOT + ".samples..", ROOT + ".rcomm..")
                        .and(DescribedPredicate.not(areAnyOf(NATIVE_LIBRARIES).or(areAnyOf(ENCODING)))))
                .should()
                .callMethod(System.class, "getProperty", String.class)
                .orShould()
                .callMethod(System.class, "getProperty", String.class, String.class)
                .orShould()
                .callMethod(Boolean.class, "getBoolean", String.class)
                .orShould()
                .callMethod(Integer.class, "getInteger", String.class)
                .orShould()
                .callMethod(Integer.class, "getInteger", String.class, int.class)
                .orShould()
                .callMethod(Long.class, "getLong", String.class)
                .orShould()
                .callMethod(Long.class, "getLong", String.class, long.class)
                .as("no system property is read inside a type");
    }

    /**
     * Delayed and blocking work runs on threads of the library's own. Those that the JDK and Reactor share stay, with the context class loader of
     * the program that needed them first.
     */
    public static ArchRule threadsKeepNoClassLoader() {
        return noClasses()
                .that(resideOutsideOfPackages(
                        ROOT + ".testkit..", ROOT + ".simulator..", ROOT + ".samples..", ROOT + ".rcomm.."))
                .should()
                .callMethodWhere(DescribedPredicate.describe("a shared thread is used", HouseRules::isOnSharedThread))
                .as("no work runs on threads that the JDK or Reactor shares");
    }

    /** Users see warnings and errors without an slf4j provider, too. */
    public static ArchRule warningsAreNotLost() {
        return noClasses()
                .that(resideOutsideOfPackages(
                                ROOT + ".testkit..", ROOT + ".simulator..", ROOT + ".samples..", ROOT + ".rcomm..")
                        .and(DescribedPredicate.describe("warn", HouseRules::warns)))
                .should()
                .callMethod(LoggerFactory.class, "getLogger", Class.class)
                .orShould()
                .callMethod(LoggerFactory.class, "getLogger", String.class)
                .as("what logs warnings or errors has its logger from WarningLog");
    }

    private static boolean warns(JavaClass type) {
        return type.getAccessesFromSelf().stream()
                .filter(access -> access.getTargetOwner().getName().equals("org.slf4j.Logger"))
                .anyMatch(access -> List.of("warn", "error").contains(access.getName()));
    }

    private static boolean isOnSharedThread(JavaMethodCall call) {
        String owner = call.getTargetOwner().getName();
        String method = call.getTarget().getName();
        List<String> parameters = call.getTarget().getRawParameterTypes().stream()
                .map(JavaClass::getName)
                .toList();
        return switch (owner) {
            case "java.util.concurrent.CompletableFuture" ->
                List.of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(method)
                        || (method.endsWith("Async") && !parameters.contains("java.util.concurrent.Executor"));
            case "reactor.core.scheduler.Schedulers" ->
                List.of("boundedElastic", "single").contains(method);
            case "reactor.core.publisher.Mono", "reactor.core.publisher.Flux" ->
                parameters.contains("java.time.Duration")
                        && !parameters.contains("reactor.core.scheduler.Scheduler")
                        && !method.startsWith("block");
            default -> false;
        };
    }

    /** What comes over a wire is never a serialized Java object. */
    public static ArchRule noJavaSerialization() {
        return noClasses()
                .that()
                .doNotHaveFullyQualifiedName(HouseRules.class.getName())
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ObjectInputStream.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ObjectOutputStream.class)
                .as("no Java serialization");
    }

    /**
     * A tensor may be on a device, where its segment is an address that the host may not touch: so elements are reached by kernels of the host's memory,
     * by what links carry or an engine gives to a library, and by moves. Programs are free.
     */
    public static ArchRule elementsAreReachedInKernels() {
        return noClasses()
                .that(resideOutsideOfPackages(
                                ROOT,
                                ROOT + ".kernel..",
                                INTERNAL + ".memory..",
                                INTERNAL + ".transfer..",
                                ROOT + ".mpi..",
                                ROOT + ".nccl..",
                                ROOT + ".samples..",
                                ROOT + ".rcomm..",
                                ROOT + ".testkit..",
                                ROOT + ".simulator..")
                        .and(DescribedPredicate.not(areAnyOf(OWN_NOTES).or(areAnyOf(CODECS)))))
                .should()
                .accessTargetWhere(JavaAccess.Predicates.target(name("segment"))
                        .and(JavaAccess.Predicates.targetOwner(assignableTo(Tensor.class))))
                .as("elements of tensors are reached in kernels, transfers and engines");
    }

    private static DescribedPredicate<JavaClass> areAnyOf(String... names) {
        return DescribedPredicate.describe("notes", type -> List.of(names).contains(type.getName()));
    }
}
