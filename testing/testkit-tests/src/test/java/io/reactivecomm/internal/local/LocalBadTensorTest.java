package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BadTensorContract;

class LocalBadTensorTest extends BadTensorContract implements LocalWorlds {}
