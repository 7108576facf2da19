package io.reactivecomm.testkit.merge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The search for values that are a fresh object on one path and something else on another, and that are then read: {@code x = c ? new A() :
 * b}, {@code A x = null; if (c) x = new A();}, or the result of a method that returns either.
 *
 * <p>HotSpot's C2 takes such objects apart where they do not leave the method it compiles (ReduceAllocationMerges), and JDKs from 23 on do
 * so wrongly. A local that is never null is null, or a field has no value (JDK-8385993). To be taken apart, the object must be an instance
 * of a class, not an array. It must not be stored anywhere or passed to what is not inlined, and must only be read.
 *
 * <p><b>What it sees.</b> Merges in the locals and on the stack of one method; and of results of methods of the classes searched that
 * nobody overrides, if their class is final. <b>What it does not.</b> Results of methods that may be overridden, objects that the JDK and
 * other libraries allocate, lambdas, merges of fields of objects that are themselves taken apart. Nor what other code does that is inlined.
 * It says nothing of objects that are stored in the same method, for these are made in any case; nor of exceptions.
 *
 * <p><b>What to write instead.</b> Both branches do the whole thing ({@code if (c) use(new A()); else use(b);}), or both take the same
 * allocation, whose arguments differ ({@code new A(c ? 1 : 2)}). It does not help to move the choice into a method: C2 inlines it.
 */
public final class MergedAllocations {

    private final List<ClassModel> classes = new ArrayList<>();

    /** @param each one class of each module; results are known within all of them */
    public MergedAllocations(Class<?>... each) {
        for (Class<?> one : each) {
            read(one);
        }
    }

    private void read(Class<?> one) {
        try {
            Path place = Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(place)) {
                readBelow(place);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(place)) {
                    readBelow(jar.getPath("/"));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("a class from nowhere: class=" + one.getName(), e);
        }
    }

    private void readBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".class"))
                    .sorted()
                    .toList()) {
                classes.add(ClassFile.of().parse(Files.readAllBytes(file)));
            }
        }
    }

    /** {@return what is found in packages that begin so} */
    List<MergedUse> findings(String packages) {
        Results results = new Results(classes);
        List<MergedUse> findings;
        do {
            findings = round(results, packages);
        } while (results.turn());
        return findings;
    }

    private List<MergedUse> round(Results results, String packages) {
        List<MergedUse> findings = new ArrayList<>();
        for (ClassModel each : classes) {
            for (MethodModel method : each.methods()) {
                String name = each.thisClass().asSymbol().displayName() + "."
                        + method.methodName().stringValue();
                method.code()
                        .map(code -> new MethodFlow(name, method, code, results))
                        .ifPresent(flow -> {
                            Value returned = flow.returned();
                            if (returned != null) {
                                results.returned(each, method, returned);
                            }
                            if (each.thisClass().asSymbol().packageName().startsWith(packages)) {
                                findings.addAll(flow.findings());
                            }
                        });
            }
        }
        return findings;
    }

    /**
     * Requires that there is none in packages that begin so, but for those named.
     *
     * @param exempt methods ({@code Class.method}) by why they do no harm; one without a finding fails as well
     */
    public void requireNone(String packages, Map<String, String> exempt) {
        Map<String, MergedUse> found = new LinkedHashMap<>();
        findings(packages).forEach(finding -> found.putIfAbsent(finding.method(), finding));
        String bad = found.values().stream()
                .filter(finding -> !exempt.containsKey(finding.method()))
                .map(finding -> "\n  " + finding)
                .collect(Collectors.joining());
        if (!bad.isEmpty()) {
            throw new AssertionError(
                    "values that are a fresh object or something else, as some JVMs compile wrongly; let both branches do the"
                            + " whole thing, or take one allocation:" + bad);
        }
        Set<String> stale = exempt.keySet().stream()
                .filter(method -> !found.containsKey(method))
                .collect(Collectors.toSet());
        if (!stale.isEmpty()) {
            throw new AssertionError("exemptions that nothing needs any more: " + stale);
        }
    }
}
