package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.ClaimContract;

class LocalClaimTest extends ClaimContract implements LocalWorlds {}
