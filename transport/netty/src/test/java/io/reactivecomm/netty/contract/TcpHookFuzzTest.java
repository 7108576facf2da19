package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.HookFuzzContract;
import org.junit.jupiter.api.Tag;

/** Chains of hooks over TCP, under operators drawn at random. */
@Tag("repeated")
class TcpHookFuzzTest extends HookFuzzContract implements TcpWorlds {

    @Override
    protected int seeds() {
        return 500;
    }
}
