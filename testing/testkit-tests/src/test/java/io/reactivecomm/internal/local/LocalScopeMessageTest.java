package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.ScopeMessageContract;

class LocalScopeMessageTest extends ScopeMessageContract implements LocalWorlds {}
