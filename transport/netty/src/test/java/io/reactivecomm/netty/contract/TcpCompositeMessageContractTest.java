package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.group.CompositeMessageContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class TcpCompositeMessageContractTest extends CompositeMessageContract implements TcpWorlds {}
