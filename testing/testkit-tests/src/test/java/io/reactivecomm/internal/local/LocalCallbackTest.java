package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.CallbackContract;

class LocalCallbackTest extends CallbackContract implements LocalWorlds {}
