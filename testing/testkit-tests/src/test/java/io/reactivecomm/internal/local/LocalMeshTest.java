package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.MeshContract;

class LocalMeshTest extends MeshContract implements LocalWorlds {}
