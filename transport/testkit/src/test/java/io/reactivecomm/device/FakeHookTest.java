package io.reactivecomm.device;

import io.reactivecomm.testkit.HookContract;

/** Hooks on gradients that are on a device. */
class FakeHookTest extends HookContract implements FakeWorlds {}
