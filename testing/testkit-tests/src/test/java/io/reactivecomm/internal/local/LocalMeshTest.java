package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.MeshContract;

class LocalMeshTest extends MeshContract implements LocalWorlds {}
