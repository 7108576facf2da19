package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.HookFaultContract;

class LocalHookFaultTest extends HookFaultContract implements LocalWorlds {}
