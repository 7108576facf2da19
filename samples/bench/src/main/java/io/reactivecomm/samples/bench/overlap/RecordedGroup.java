package io.reactivecomm.samples.bench.overlap;

import io.reactivecomm.CompositeCall;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A group whose all-reduces are noted: all else goes to the group as it is. Its views, and those inside its composite calls, are noted alike. */
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
        if (result instanceof CompositeCall call) {
            return new RecordedComposite(call, noted);
        }
        return method.getName().equals("allReduce") ? noted.apply((Mono<Work>) result) : result;
    }

    /** A composite call whose body gets a view that is noted. */
    private record RecordedComposite(CompositeCall call, UnaryOperator<Mono<Work>> noted) implements CompositeCall {

        @Override
        public CompositeCall borrowing(List<Tensor> tensors) {
            return new RecordedComposite(call.borrowing(tensors), noted);
        }

        @Override
        public CompositeCall waitingOnly() {
            return new RecordedComposite(call.waitingOnly(), noted);
        }

        @Override
        public <T> Mono<T> mono(Function<? super ProcessGroup, ? extends Mono<T>> body) {
            return call.mono(inside -> body.apply(of(inside, noted)));
        }

        @Override
        public <T> Flux<T> flux(Function<? super ProcessGroup, ? extends Publisher<T>> body) {
            return call.flux(inside -> body.apply(of(inside, noted)));
        }
    }
}
