package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.HookChainContract;

class LocalHookChainTest extends HookChainContract implements LocalWorlds {}
