package io.reactivecomm.device;

import io.reactivecomm.testkit.train.HookContract;
import org.junit.jupiter.api.Tag;

/** Hooks on gradients that are on a device. */
@Tag("repeated")
class FakeHookTest extends HookContract implements FakeWorlds {}
