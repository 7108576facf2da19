package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.HookFuzzContract;

/** Chains of hooks over TCP, under operators drawn at random. */
class TcpHookFuzzTest extends HookFuzzContract implements TcpWorlds {

    @Override
    protected int seeds() {
        return 500;
    }
}
