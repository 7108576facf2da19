package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.ReducedPartsContract;

class LocalReducedPartsTest extends ReducedPartsContract implements LocalWorlds {}
