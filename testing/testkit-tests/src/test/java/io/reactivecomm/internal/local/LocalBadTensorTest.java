package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.BadTensorContract;

class LocalBadTensorTest extends BadTensorContract implements LocalWorlds {}
