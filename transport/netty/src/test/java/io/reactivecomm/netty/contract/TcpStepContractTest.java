package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.StepContract;

class TcpStepContractTest extends StepContract implements TcpWorlds {}
