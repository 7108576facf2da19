package io.reactivecomm.local;

import io.reactivecomm.testkit.RowContract;

class LocalRowTest extends RowContract implements LocalWorlds {}
