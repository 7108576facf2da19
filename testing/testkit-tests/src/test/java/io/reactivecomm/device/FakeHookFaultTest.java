package io.reactivecomm.device;

import io.reactivecomm.testkit.train.HookFaultContract;
import org.junit.jupiter.api.Tag;

/** Steps of hooks that end early, with gradients that are on a device. */
@Tag("repeated")
@Tag("thorough")
class FakeHookFaultTest extends HookFaultContract implements FakeWorlds {}
