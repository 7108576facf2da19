package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.StepMessageContract;

class TcpStepMessageContractTest extends StepMessageContract implements TcpWorlds {}
