package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.HookChainContract;

class TcpHookChainContractTest extends HookChainContract implements TcpWorlds {}
