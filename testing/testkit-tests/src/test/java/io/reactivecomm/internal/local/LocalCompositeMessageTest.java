package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.CompositeMessageContract;

class LocalCompositeMessageTest extends CompositeMessageContract implements LocalWorlds {}
