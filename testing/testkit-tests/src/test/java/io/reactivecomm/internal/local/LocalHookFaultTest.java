package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.HookFaultContract;

class LocalHookFaultTest extends HookFaultContract implements LocalWorlds {}
