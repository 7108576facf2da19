package io.reactivecomm.testkit.house;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The circles among the files of a package: those that know each other, however many lie between. A sealed hierarchy counts as one. */
final class Circles {

    private final Map<String, Set<String>> knows = new TreeMap<>();

    /** One file knows another. */
    void add(String from, String to) {
        knows.computeIfAbsent(from, ignored -> new TreeSet<>());
        knows.computeIfAbsent(to, ignored -> new TreeSet<>());
        if (!from.equals(to)) {
            knows.get(from).add(to);
        }
    }

    /** {@return those of one package} */
    static Circles of(JavaClasses classes, String packageName) {
        List<JavaClass> members = new ArrayList<>();
        classes.forEach(each -> {
            if (each.getPackageName().equals(packageName)) {
                members.add(each);
            }
        });
        Map<String, String> families = families(members);
        Circles circles = new Circles();
        for (JavaClass each : members) {
            circles.add(family(families, each), family(families, each));
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (target.getPackageName().equals(packageName)) {
                    circles.add(family(families, each), family(families, target));
                }
            }
        }
        return circles;
    }

    /** {@return by the name of a file the family that it belongs to, which is named after one of its members} */
    private static Map<String, String> families(List<JavaClass> members) {
        Map<String, String> families = new TreeMap<>();
        members.forEach(each -> families.put(file(each), file(each)));
        for (JavaClass each : members) {
            Class<?>[] permitted = each.reflect().getPermittedSubclasses();
            for (Class<?> subclass : permitted == null ? new Class<?>[0] : permitted) {
                join(families, file(each), file(subclass.getName()));
            }
        }
        return families;
    }

    private static void join(Map<String, String> families, String one, String other) {
        String joined = families.get(one);
        String before = families.get(other);
        families.replaceAll((file, family) -> family.equals(before) ? joined : family);
    }

    private static String family(Map<String, String> families, JavaClass member) {
        return families.getOrDefault(file(member), file(member));
    }

    private static String file(JavaClass member) {
        return file(member.getName());
    }

    private static String file(String className) {
        int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }

    /** {@return the members of each circle of more than one} */
    List<Set<String>> all() {
        List<Set<String>> found = new ArrayList<>();
        Set<String> done = new HashSet<>();
        for (String each : knows.keySet()) {
            if (!done.contains(each)) {
                Set<String> circle = reached(each);
                circle.removeIf(other -> !reached(other).contains(each));
                done.addAll(circle);
                if (circle.size() > 1) {
                    found.add(circle);
                }
            }
        }
        return found;
    }

    private Set<String> reached(String from) {
        Set<String> reached = new TreeSet<>();
        ArrayDeque<String> next = new ArrayDeque<>(List.of(from));
        while (!next.isEmpty()) {
            String each = next.remove();
            if (reached.add(each)) {
                next.addAll(knows.getOrDefault(each, Set.of()));
            }
        }
        return reached;
    }
}
