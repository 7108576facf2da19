package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Collectives;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.group.GroupEndContract;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;

/** The matrix of {@link PublisherContract} leaves out no publisher that a group gives. */
class SubjectsTest {

    /** Those that are no calls: the group's own end, whose demand {@link GroupEndContract} has, and dumps, which are files. */
    private static final Set<String> NO_CALLS = Set.of("ended", "dump");

    @Test
    void publishersOfAGroup_areAllInTheMatrix() {
        Set<String> tried = new TreeSet<>();
        try (LocalWorld world = ReactiveComm.local(2);
                GuardedMemory memory = new GuardedMemory()) {
            for (Subject subject : Subjects.all()) {
                world.groups().forEach(group -> subject.call().on(recording(group, tried), memory));
            }
        }

        assertThat(tried).isEqualTo(publishers());
    }

    /** {@return a group that notes which of its methods give a publisher} */
    private static ProcessGroup recording(ProcessGroup group, Set<String> tried) {
        return (ProcessGroup) Proxy.newProxyInstance(
                SubjectsTest.class.getClassLoader(),
                new Class<?>[] {ProcessGroup.class},
                (proxy, method, arguments) -> {
                    if (givesPublisher(method)) {
                        tried.add(signature(method));
                    }
                    try {
                        return method.invoke(group, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Set<String> publishers() {
        return Arrays.stream(ProcessGroup.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && givesPublisher(method))
                .filter(method -> !NO_CALLS.contains(method.getName()))
                .map(SubjectsTest::signature)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What a collective becomes is the type variable of {@link Collectives}: for a group, a Mono. */
    private static boolean givesPublisher(Method method) {
        return Publisher.class.isAssignableFrom(method.getReturnType())
                || (method.getDeclaringClass() == Collectives.class
                        && method.getGenericReturnType() instanceof TypeVariable<?>);
    }

    private static String signature(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getName() + "(", ")"));
    }
}
