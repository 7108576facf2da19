package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.DisagreementContract;

class LocalDisagreementTest extends DisagreementContract implements LocalWorlds {}
