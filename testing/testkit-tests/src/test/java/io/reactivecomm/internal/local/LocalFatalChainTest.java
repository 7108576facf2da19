package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.FatalChainContract;

class LocalFatalChainTest extends FatalChainContract implements LocalWorlds {}
