package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.CompositeContract;

class TcpCompositeContractTest extends CompositeContract implements TcpWorlds {}
