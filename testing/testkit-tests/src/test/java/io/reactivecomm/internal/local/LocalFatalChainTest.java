package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.FatalChainContract;

class LocalFatalChainTest extends FatalChainContract implements LocalWorlds {}
