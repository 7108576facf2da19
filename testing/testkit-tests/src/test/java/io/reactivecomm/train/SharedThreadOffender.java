package io.reactivecomm.train;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** Breaks a rule of the house: the JDK's thread and Reactor's would keep the class loader of the program. */
final class SharedThreadOffender {

    private SharedThreadOffender() {}

    static CompletableFuture<String> late() {
        return new CompletableFuture<String>().completeOnTimeout("late", 1, TimeUnit.SECONDS);
    }

    static Mono<String> later() {
        return Mono.just("later").delayElement(Duration.ofSeconds(1));
    }
}
