package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.CompositeMessageContract;

class TcpCompositeMessageContractTest extends CompositeMessageContract implements TcpWorlds {}
