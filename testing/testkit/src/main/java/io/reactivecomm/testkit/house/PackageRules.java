package io.reactivecomm.testkit.house;

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
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;

/** The rules of {@link HouseRules} about packages: cycles, sizes, simple names, and the internal packages of modules. */
public final class PackageRules {

    private static final String COMPRESSION = HouseRules.ROOT + ".compression";

    /**
     * Packages that the rule against cycles counts as another. Tensors, devices and their exceptions need each other. Options and results of other API packages are named by
     * the code that implements them.
     */
    private static final Map<String, String> COUNTED_AS = Map.of(
            HouseRules.ROOT + ".device",
            HouseRules.ROOT,
            HouseRules.INTERNAL + ".memory",
            HouseRules.ROOT,
            HouseRules.INTERNAL + ".train",
            HouseRules.ROOT + ".train",
            HouseRules.INTERNAL + ".timeline",
            HouseRules.ROOT + ".timeline",
            COMPRESSION + ".internal.call",
            COMPRESSION,
            COMPRESSION + ".internal.levels",
            COMPRESSION + ".reduce",
            COMPRESSION + ".internal.lowrank",
            COMPRESSION + ".reduce");

    private static final int MOST_FILES = 45;

    /** The root package has what every program names, and may be larger. */
    private static final int MOST_FILES_OF_ROOT = 60;

    private PackageRules() {}

    /**
     * Packages depend on each other in no cycle, and count by their whole names. An API package counts as one with the internal packages that implement it.
     */
    public static ArchRule haveNoCircles() {
        return slices().assignedFrom(new Packages()).should().beFreeOfCycles();
    }

    private static final class Packages implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            return name.equals(HouseRules.ROOT) || name.startsWith(HouseRules.ROOT + ".")
                    ? SliceIdentifier.of(COUNTED_AS.getOrDefault(name, name))
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }

    /** The internal packages of a transport, an engine or another module outside the library are named by that module alone. */
    public static ArchRule internalsAreTheirModulesOwn() {
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

    /** A simple name has one meaning: no two types that have a file of their own share it, in whichever modules they are. */
    public static ArchRule namesHaveOneMeaning() {
        return classes()
                .that(new DescribedPredicate<JavaClass>("have a file of their own") {
                    @Override
                    public boolean test(JavaClass type) {
                        return hasOwnFile(type) && !type.getSimpleName().equals("package-info");
                    }
                })
                .should(new ArchCondition<JavaClass>("have a simple name of their own") {

                    private final Map<String, String> known = new TreeMap<>();

                    @Override
                    public void init(Collection<JavaClass> types) {
                        known.clear();
                    }

                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        String other = known.putIfAbsent(type.getSimpleName(), type.getName());
                        if (other != null) {
                            events.add(SimpleConditionEvent.violated(
                                    type,
                                    type.getName() + " has the simple name of " + other + "; rename one of them"));
                        }
                    }
                })
                .as("simple names have one meaning");
    }

    private static boolean hasOwnFile(JavaClass type) {
        return !type.getName().contains("$");
    }

    /** A package has few enough files for a reader to know them all. */
    static ArchRule areSmall() {
        return haveAtMost(MOST_FILES);
    }

    public static ArchRule haveAtMost(int files) {
        return classes()
                .that(new DescribedPredicate<JavaClass>("are one to a file") {
                    @Override
                    public boolean test(JavaClass type) {
                        return hasOwnFile(type);
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
                            int most = name.equals(HouseRules.ROOT) ? MOST_FILES_OF_ROOT : files;
                            if (size > most) {
                                events.add(SimpleConditionEvent.violated(
                                        name, "package " + name + " has " + size + " files, most=" + most));
                            }
                        });
                    }
                })
                .as("packages are small");
    }
}
