package io.reactivecomm.spi.rendezvous;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** A {@link Rendezvous} whose names live under a prefix of another's. */
record PrefixedRendezvous(Rendezvous store, String prefix) implements Rendezvous {

    private String full(String name) {
        return prefix + name;
    }

    private List<String> full(Collection<String> names) {
        return names.stream().map(this::full).toList();
    }

    @Override
    public Mono<Void> set(String key, byte[] value) {
        return store.set(full(key), value);
    }

    @Override
    public Mono<byte[]> get(String key, Duration deadline) {
        return store.get(full(key), deadline);
    }

    @Override
    public Mono<Long> add(String key, long amount) {
        return store.add(full(key), amount);
    }

    @Override
    public Mono<Long> append(String key, byte[] value) {
        return store.append(full(key), value);
    }

    @Override
    public Mono<Optional<byte[]>> compareSet(String key, byte[] expected, byte[] desired) {
        return store.compareSet(full(key), expected, desired);
    }

    @Override
    public Mono<Boolean> delete(String key) {
        return store.delete(full(key));
    }

    @Override
    public Mono<Boolean> check(Collection<String> keys) {
        return store.check(full(keys));
    }

    @Override
    public Mono<Void> await(Collection<String> keys, Duration deadline) {
        return store.await(full(keys), deadline);
    }

    @Override
    public Mono<List<String>> list(String prefix, int limit) {
        return store.list(full(prefix), limit)
                .map(keys -> keys.stream()
                        .map(key -> key.substring(this.prefix.length()))
                        .toList());
    }

    @Override
    public Mono<Long> push(String queue, byte[] value) {
        return store.push(full(queue), value);
    }

    @Override
    public Mono<byte[]> pop(String queue, Duration deadline) {
        return store.pop(full(queue), deadline);
    }
}
