package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.CoalesceContract;

class LocalCoalesceTest extends CoalesceContract implements LocalWorlds {}
