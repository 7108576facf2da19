package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.HookContract;

class LocalHookTest extends HookContract implements LocalWorlds {}
