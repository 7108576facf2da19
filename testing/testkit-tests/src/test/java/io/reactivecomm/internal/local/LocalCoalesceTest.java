package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.CoalesceContract;

class LocalCoalesceTest extends CoalesceContract implements LocalWorlds {}
