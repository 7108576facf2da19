package io.reactivecomm.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;

/** The rules of {@link HouseRules} about packages: cycles, sizes, and the internal packages of modules. */
final class PackageRules {

    /** Modules whose packages the rule against cycles compares by their whole names. */
    private static final List<String> BY_WHOLE_NAME = List.of("netty", "shm", "nccl", "mpi", "launch", "samples");

    private static final int MOST_FILES = 45;

    /** Packages that may have more files: the API of programs, that of transports and engines, and the contracts. */
    private static final Set<String> LARGE_PACKAGES =
            Set.of(HouseRules.ROOT, HouseRules.ROOT + ".spi", HouseRules.ROOT + ".testkit");

    private PackageRules() {}

    /**
     * Packages depend on each other in no cycle. Packages of transports, engines, the launcher and the samples count by their whole names; all others by the
     * first segment, or by the first below {@code internal}.
     */
    static ArchRule haveNoCircles() {
        return slices().assignedFrom(new Packages()).should().beFreeOfCycles();
    }

    private static final class Packages implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            if (!name.startsWith(HouseRules.ROOT + ".")) {
                return SliceIdentifier.ignore();
            }
            String below = name.substring(
                    (name.startsWith(HouseRules.INTERNAL + ".") ? HouseRules.INTERNAL : HouseRules.ROOT).length() + 1);
            String first = below.split("\\.")[0];
            return SliceIdentifier.of(BY_WHOLE_NAME.contains(first) ? below : first);
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }

    /** The internal packages of a transport, an engine or another module outside the library are named by that module alone. */
    static ArchRule internalsAreTheirModulesOwn() {
        return classes()
                .should(new ArchCondition<JavaClass>("name no internal type of another module") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                            String owner = moduleOfInternals(dependency.getTargetClass());
                            if (!owner.isEmpty() && !(type.getPackageName() + ".").startsWith(owner + ".")) {
                                events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                            }
                        }
                    }
                })
                .as("modules name nothing internal of each other");
    }

    /** {@return the package of the module that has this internal type; empty for types of the library, and for types that are not internal} */
    private static String moduleOfInternals(JavaClass type) {
        Matcher internal =
                HouseRules.INTERNALS.matcher(type.getBaseComponentType().getPackageName());
        return internal.matches() && !internal.group(1).equals(HouseRules.ROOT) ? internal.group(1) : "";
    }

    /** A package has few enough files for a reader to know them all. */
    static ArchRule areSmall() {
        return haveAtMost(MOST_FILES);
    }

    static ArchRule haveAtMost(int files) {
        return classes()
                .that(new DescribedPredicate<JavaClass>("are one to a file, outside the large packages") {
                    @Override
                    public boolean test(JavaClass type) {
                        return !type.getName().contains("$") && !LARGE_PACKAGES.contains(type.getPackageName());
                    }
                })
                .should(new ArchCondition<JavaClass>("be in packages of at most " + files + " files") {

                    private final Map<String, Integer> sizes = new TreeMap<>();

                    @Override
                    public void init(Collection<JavaClass> types) {
                        sizes.clear();
                        types.forEach(type -> sizes.merge(type.getPackageName(), 1, Integer::sum));
                    }

                    @Override
                    public void check(JavaClass type, ConditionEvents events) {}

                    @Override
                    public void finish(ConditionEvents events) {
                        sizes.forEach((name, size) -> {
                            if (size > files) {
                                events.add(SimpleConditionEvent.violated(
                                        name, "package " + name + " has " + size + " files, most=" + files));
                            }
                        });
                    }
                })
                .as("packages are small");
    }
}
