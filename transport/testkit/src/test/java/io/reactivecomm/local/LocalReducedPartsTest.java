package io.reactivecomm.local;

import io.reactivecomm.testkit.ReducedPartsContract;

class LocalReducedPartsTest extends ReducedPartsContract implements LocalWorlds {}
