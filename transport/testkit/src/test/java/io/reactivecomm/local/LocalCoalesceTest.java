package io.reactivecomm.local;

import io.reactivecomm.testkit.CoalesceContract;

class LocalCoalesceTest extends CoalesceContract implements LocalWorlds {}
