package io.reactivecomm.local;

import io.reactivecomm.testkit.ObjectContract;

class LocalObjectTest extends ObjectContract implements LocalWorlds {}
