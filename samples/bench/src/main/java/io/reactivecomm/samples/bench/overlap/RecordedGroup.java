package io.reactivecomm.samples.bench.overlap;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A group whose all-reduces are noted: all else goes to the group as it is, and its views are noted alike. */
record RecordedGroup(ProcessGroup group, UnaryOperator<Mono<Work>> noted) implements InvocationHandler {

    /** {@return the group, with an operator put behind each all-reduce} */
    static ProcessGroup of(ProcessGroup group, UnaryOperator<Mono<Work>> noted) {
        return (ProcessGroup) Proxy.newProxyInstance(
                ProcessGroup.class.getClassLoader(), new Class<?>[] {ProcessGroup.class}, new RecordedGroup(group, noted));
    }

    @Override
    @SuppressWarnings("unchecked")
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        Object result;
        try {
            result = method.invoke(group, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (result instanceof ProcessGroup view) {
            return of(view, noted);
        }
        return method.getName().equals("allReduce") ? noted.apply((Mono<Work>) result) : result;
    }
}
