package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.ReducedPartsContract;

class LocalReducedPartsTest extends ReducedPartsContract implements LocalWorlds {}
