package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.CallbackContract;

class LocalCallbackTest extends CallbackContract implements LocalWorlds {}
