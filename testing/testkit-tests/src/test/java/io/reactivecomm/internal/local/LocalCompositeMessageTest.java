package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.CompositeMessageContract;

class LocalCompositeMessageTest extends CompositeMessageContract implements LocalWorlds {}
