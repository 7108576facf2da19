package io.reactivecomm.testkit;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;

/**
 * The lines of the house that a compiler does not hold: which package may know which, and what nobody may use.
 *
 * <pre>
 *   base ← root, kernel, stream, sequence
 *   root ← collective ← schedule, spi ┐
 *   root ← kernel ────────────────────┴← transfer ← engine ← group ← local
 *   root ← stream ←─────────────────────────────────┘          │
 *   root ← kernel, collective ← composite ←────────────────────┘
 *   root ← hook ←───┐
 *   root ← kernel ← bucket
 *   root ← collective ← spi ← sequence
 *   all of these ← each transport by itself
 * </pre>
 */
public final class HouseRules {

    private static final String ROOT = "io.reactivecomm";

    /** Packages of modules that stand beside the library; they know it, and not each other. */
    private static final List<String> BESIDE = List.of("netty", "shm", "nccl", "mpi", "launch");

    /** Captures which of them a class belongs to. */
    static final String EACH_BESIDE = ROOT + ".(" + String.join("|", BESIDE) + ")..";

    private HouseRules() {}

    /** {@return the classes of the class path that are the project's own, without tests} */
    public static JavaClasses production() {
        return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(ROOT);
    }

    /** {@return all rules, for a module to check the classes that it sees} */
    public static List<ArchRule> all() {
        return List.of(packagesPointOneWay(), packagesHaveNoCircles(), transportsDoNotKnowEachOther(), nothingPointsBack(),
                noSystemPropertiesInsideTypes(), noJavaSerialization());
    }

    /** The library's packages know only those below them. */
    public static ArchRule packagesPointOneWay() {
        return layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
                .withOptionalLayers(true)
                .layer("base").definedBy(ROOT + ".base..")
                .layer("root").definedBy(ROOT)
                .layer("collective").definedBy(ROOT + ".collective..")
                .layer("schedule").definedBy(ROOT + ".schedule..")
                .layer("spi").definedBy(ROOT + ".spi..")
                .layer("kernel").definedBy(ROOT + ".kernel..")
                .layer("composite").definedBy(ROOT + ".composite..")
                .layer("stream").definedBy(ROOT + ".stream..")
                .layer("hook").definedBy(ROOT + ".hook..")
                .layer("bucket").definedBy(ROOT + ".bucket..")
                .layer("sequence").definedBy(ROOT + ".sequence..")
                .layer("transfer").definedBy(ROOT + ".transfer..")
                .layer("engine").definedBy(ROOT + ".engine..")
                .layer("group").definedBy(ROOT + ".group..")
                .layer("local").definedBy(ROOT + ".local..")
                .whereLayer("base").mayNotAccessAnyLayer()
                .whereLayer("root").mayOnlyAccessLayers("base")
                .whereLayer("collective").mayOnlyAccessLayers("root")
                .whereLayer("kernel").mayOnlyAccessLayers("base", "root")
                .whereLayer("schedule").mayOnlyAccessLayers("root", "collective")
                .whereLayer("spi").mayOnlyAccessLayers("root", "collective")
                .whereLayer("composite").mayOnlyAccessLayers("root", "collective", "kernel")
                .whereLayer("stream").mayOnlyAccessLayers("base", "root")
                .whereLayer("hook").mayOnlyAccessLayers("root")
                .whereLayer("bucket").mayOnlyAccessLayers("root", "hook", "kernel")
                .whereLayer("sequence").mayOnlyAccessLayers("base", "root", "collective", "spi")
                .whereLayer("transfer").mayOnlyAccessLayers("root", "collective", "schedule", "spi", "kernel")
                .whereLayer("engine").mayOnlyAccessLayers("root", "collective", "schedule", "spi", "stream", "transfer")
                .whereLayer("group").mayOnlyAccessLayers(
                        "root", "collective", "schedule", "spi", "kernel", "composite", "stream", "transfer", "engine")
                .whereLayer("local").mayOnlyBeAccessedByLayers("local")
                .as("packages of the library point one way");
    }

    /** No two packages know each other, however many lie between. */
    public static ArchRule packagesHaveNoCircles() {
        return slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();
    }

    /** Transports meet through the library's service interfaces only. */
    public static ArchRule transportsDoNotKnowEachOther() {
        return slices().matching(EACH_BESIDE).should().notDependOnEachOther().allowEmptyShould(true);
    }

    /** The library knows none of the modules that depend on it. */
    public static ArchRule nothingPointsBack() {
        String[] beside = BESIDE.stream().map(name -> ROOT + "." + name + "..").toArray(String[]::new);
        return noClasses()
                .that(resideInAnyPackage(ROOT, ROOT + ".base..", ROOT + ".collective..", ROOT + ".schedule..", ROOT + ".spi..",
                        ROOT + ".kernel..", ROOT + ".transfer..", ROOT + ".engine..", ROOT + ".group..", ROOT + ".composite..", ROOT + ".stream..", ROOT + ".hook..",
                        ROOT + ".bucket..", ROOT + ".sequence..", ROOT + ".local.."))
                .should().dependOnClassesThat(resideInAnyPackage(beside).or(resideInAPackage("io.netty..")))
                .as("the library depends on no transport");
    }

    /** Settings come in as values: no type of the library or of a transport looks them up in system properties. */
    public static ArchRule noSystemPropertiesInsideTypes() {
        return noClasses()
                .that().resideOutsideOfPackages(ROOT + ".testkit..", ROOT + ".samples..")
                .should().callMethod(System.class, "getProperty", String.class)
                .orShould().callMethod(System.class, "getProperty", String.class, String.class)
                .orShould().callMethod(Boolean.class, "getBoolean", String.class)
                .orShould().callMethod(Integer.class, "getInteger", String.class)
                .orShould().callMethod(Integer.class, "getInteger", String.class, int.class)
                .orShould().callMethod(Long.class, "getLong", String.class)
                .orShould().callMethod(Long.class, "getLong", String.class, long.class)
                .as("no system property is read inside a type");
    }

    /** What comes over a wire is never a serialized Java object. */
    public static ArchRule noJavaSerialization() {
        return noClasses()
                .that().doNotHaveFullyQualifiedName(HouseRules.class.getName())
                .should().dependOnClassesThat().areAssignableTo(ObjectInputStream.class)
                .orShould().dependOnClassesThat().areAssignableTo(ObjectOutputStream.class)
                .as("no Java serialization");
    }
}
