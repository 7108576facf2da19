package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.CompositeContract;

class LocalCompositeTest extends CompositeContract implements LocalWorlds {}
