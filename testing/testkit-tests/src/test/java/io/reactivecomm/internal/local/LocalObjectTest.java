package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.ObjectContract;

class LocalObjectTest extends ObjectContract implements LocalWorlds {}
