package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.group.StepContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class TcpStepContractTest extends StepContract implements TcpWorlds {}
