package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.HookFaultContract;

/** The contract of hooks with steps that end early, over TCP on loopback. */
class TcpHookContractTest extends HookFaultContract implements TcpWorlds {}
