package io.reactivecomm.device;

import io.reactivecomm.testkit.HookChainContract;
import org.junit.jupiter.api.Tag;

/** Steps of hooks one behind the other, with gradients that are on a device. */
@Tag("repeated")
@Tag("thorough")
class FakeHookChainTest extends HookChainContract implements FakeWorlds {}
