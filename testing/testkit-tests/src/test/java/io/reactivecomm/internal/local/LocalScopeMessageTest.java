package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.ScopeMessageContract;

class LocalScopeMessageTest extends ScopeMessageContract implements LocalWorlds {}
