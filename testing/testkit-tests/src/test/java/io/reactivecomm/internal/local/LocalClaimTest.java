package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.ClaimContract;

class LocalClaimTest extends ClaimContract implements LocalWorlds {}
