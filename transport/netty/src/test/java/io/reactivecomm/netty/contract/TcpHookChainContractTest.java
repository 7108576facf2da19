package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.HookChainContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class TcpHookChainContractTest extends HookChainContract implements TcpWorlds {}
