package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.group.StepMessageContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class TcpStepMessageContractTest extends StepMessageContract implements TcpWorlds {}
