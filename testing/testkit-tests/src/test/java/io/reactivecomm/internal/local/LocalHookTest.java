package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.HookContract;

class LocalHookTest extends HookContract implements LocalWorlds {}
