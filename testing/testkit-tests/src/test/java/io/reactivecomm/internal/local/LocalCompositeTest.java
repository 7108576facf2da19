package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.CompositeContract;

class LocalCompositeTest extends CompositeContract implements LocalWorlds {}
