package io.reactivecomm.netty;

import io.netty.util.concurrent.FastThreadLocalThread;
import reactor.core.scheduler.NonBlocking;

/** A thread that serves sockets: Netty's fast thread-locals, and Reactor refuses to block it. */
final class LoopThread extends FastThreadLocalThread implements NonBlocking {

    LoopThread(Runnable task, String name) {
        super(task, name);
        setDaemon(true);
    }
}
