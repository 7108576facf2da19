package io.reactivecomm.nccl;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The turns of a rank, launched one after the other in the order in which they came, which is the same on all ranks. One that is not ready holds up those behind
 * it: launched in another order than elsewhere, they would wait for each other on the devices.
 *
 * <p><b>Threads.</b> Any; turns are asked and launched on the stream's.
 */
final class LaunchQueue {

    private final LaunchStream stream;
    private final Deque<Item> items = new ArrayDeque<>();

    /** A turn. It throws nothing but what those throw whom it tells of its end: that holds up no other. */
    interface Item {

        /** Does what may be done before its turn. */
        default void prepare() {}

        /** {@return whether it can be launched} Only the first is asked; when it may have become so, the queue is told to {@link #look}. */
        boolean isReady();

        void launch();
    }

    LaunchQueue(LaunchStream stream) {
        this.stream = stream;
    }

    void add(Item item) {
        stream.execute(() -> {
            items.add(item);
            item.prepare();
            launchReady();
        });
    }

    /** Looks again whether the first can be launched. */
    void look() {
        stream.execute(this::launchReady);
    }

    private void launchReady() {
        while (!items.isEmpty() && items.getFirst().isReady()) {
            launch(items.removeFirst());
        }
    }

    private void launch(Item item) {
        boolean isLaunched = false;
        try {
            item.launch();
            isLaunched = true;
        } finally {
            if (!isLaunched) {
                look();
            }
        }
    }
}
