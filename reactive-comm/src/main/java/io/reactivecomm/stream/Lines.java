package io.reactivecomm.stream;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * The messages of one stream, by name: those of its items, of their bytes, of its end, and of the receiver's answers.
 *
 * <p>Each is a sequence of its own, so that one that fails or lags shifts no other. A name carries the stream's number, and a character
 * that keeps it apart from what a program calls its own.
 */
final class Lines {

    /** Longer than any job: a reader that pauses is no fault. */
    private static final Duration FOREVER = Duration.ofDays(10_000);

    private final String prefix;
    private final int peer;
    private final int tag;
    private final ProcessGroup items;
    private final ProcessGroup payloads;
    private final ProcessGroup patientItems;
    private final ProcessGroup end;
    private final ProcessGroup answers;

    /** @param number which stream between the two ranks under that name and tag this is, from 0 */
    Lines(ProcessGroup group, String name, long number, int peer, int tag) {
        this.prefix = name + "\u0001stream#" + number + ".";
        this.peer = peer;
        this.tag = tag;
        ProcessGroup patient = group.timeout(FOREVER);
        this.items = group.named(prefix + "items");
        this.payloads = group.named(prefix + "bytes");
        this.patientItems = patient.named(prefix + "items");
        this.end = patient.named(prefix + "end");
        this.answers = patient.named(prefix + "answers");
    }

    int peer() {
        return peer;
    }

    Mono<Work> sendItem(Tensor note) {
        return items.send(note, peer, tag);
    }

    /** {@return the next note about an item, within the group's deadline} */
    Mono<Work> receiveItem(Tensor note) {
        return items.receive(note, peer, tag);
    }

    Mono<Work> sendLast(Tensor note) {
        return patientItems.send(note, peer, tag);
    }

    /** {@return the next note about an item, whenever it comes} */
    Mono<Work> awaitItem(Tensor note) {
        return patientItems.receive(note, peer, tag);
    }

    Mono<Work> sendPayload(Tensor tensor) {
        return payloads.send(tensor, peer, tag);
    }

    Mono<Work> receivePayload(Tensor tensor) {
        return payloads.receive(tensor, peer, tag);
    }

    Mono<Work> sendEnd(Tensor note) {
        return end.send(note, peer, tag);
    }

    Mono<Work> awaitEnd(Tensor note) {
        return end.receive(note, peer, tag);
    }

    Mono<Work> sendAnswer(Tensor note) {
        return answers.send(note, peer, tag);
    }

    Mono<Work> awaitAnswer(Tensor note) {
        return answers.receive(note, peer, tag);
    }

    /** {@return the stream in messages} */
    @Override
    public String toString() {
        return prefix.substring(0, prefix.length() - 1).replace('\u0001', ' ').strip() + "[peer=" + peer + ", tag=" + tag + "]";
    }
}
