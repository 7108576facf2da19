package io.reactivecomm.local;

import io.reactivecomm.testkit.CallbackContract;

class LocalCallbackTest extends CallbackContract implements LocalWorlds {}
