package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.group.CompositeContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class TcpCompositeContractTest extends CompositeContract implements TcpWorlds {}
