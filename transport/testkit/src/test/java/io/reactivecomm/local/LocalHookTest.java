package io.reactivecomm.local;

import io.reactivecomm.testkit.HookContract;

class LocalHookTest extends HookContract implements LocalWorlds {}
