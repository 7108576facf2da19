package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.ObjectContract;

class LocalObjectTest extends ObjectContract implements LocalWorlds {}
