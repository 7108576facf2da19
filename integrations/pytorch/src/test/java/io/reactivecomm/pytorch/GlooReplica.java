package io.reactivecomm.pytorch;

import java.nio.file.Path;
import org.bytedeco.pytorch.BackendOptional;
import org.bytedeco.pytorch.BoolVector;
import org.bytedeco.pytorch.FileStore;
import org.bytedeco.pytorch.Logger;
import org.bytedeco.pytorch.LoggerOptional;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.ProcessGroup;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.Reducer;
import org.bytedeco.pytorch.SizeTStringMap;
import org.bytedeco.pytorch.SizeTVector;
import org.bytedeco.pytorch.SizeTVectorVector;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;

/**
 * A replica as torch's own DistributedDataParallel makes it: torch's reducer over its Gloo backend, set up as the constructor of the Python class does.
 *
 * <p>Buckets, also the smaller first one, are torch's defaults. Gradients are views of buckets.
 */
final class GlooReplica implements AutoCloseable {

    private static final long BUCKET_BYTES = 25L << 20;
    private static final long FIRST_BUCKET_BYTES = 1L << 20;

    private final ProcessGroup group;
    private final FileStore store;
    private final ProcessGroupGloo gloo;
    private final TensorVector parameters = new TensorVector();
    private final TensorVector buffers = new TensorVector();
    private final Reducer reducer;
    private final Logger logger;

    GlooReplica(Module module, Path file, int rank, int size, boolean findsUnused) {
        this.store = new FileStore(file.toString(), size);
        ProcessGroupGloo.Options options = new ProcessGroupGloo.Options();
        options.devices().push_back(ProcessGroupGloo.createDeviceForHostname("127.0.0.1"));
        this.gloo = new ProcessGroupGloo(store, rank, size, options);
        this.group = new ProcessGroup(rank, size);
        group.setBackend(DeviceType.CPU, ProcessGroup.BackendType.GLOO, new BackendOptional(gloo));
        group.setDefaultBackend(ProcessGroup.BackendType.GLOO);
        group.setGroupName("replicas");
        TensorVector detached = new TensorVector();
        for (ModelTensor each : ModelTensor.of(module)) {
            detached.push_back(each.tensor().detach());
            if (each.needsGradient()) {
                parameters.push_back(each.tensor());
            } else if (!each.isParameter()) {
                buffers.push_back(each.tensor());
            }
        }
        torch.verify_params_across_processes(group, parameters, new LoggerOptional());
        torch.broadcast_coalesced(group, detached, 250L << 20, 0);
        this.reducer = reducer(findsUnused);
        // The search for unused parameters calls the logger without asking whether there is one.
        this.logger = new Logger(reducer);
        logger.set_construction_data_and_log("model", new int[0], -1, true, false, false);
        reducer.set_logger(logger);
    }

    private Reducer reducer(boolean findsUnused) {
        long[] limits = {FIRST_BUCKET_BYTES, BUCKET_BYTES};
        SizeTVectorVector forward = torch.compute_bucket_assignment_by_size(parameters, new SizeTVector(limits))
                .get0();
        SizeTVectorVector backward = new SizeTVectorVector();
        for (long i = forward.size() - 1; i >= 0; i--) {
            backward.push_back(forward.get(i));
        }
        BoolVector sparse = new BoolVector(parameters.size());
        return new Reducer(
                parameters,
                backward,
                group,
                sparse,
                BUCKET_BYTES,
                findsUnused,
                true,
                new SizeTStringMap(),
                FIRST_BUCKET_BYTES,
                false,
                false);
    }

    /** Before the forward pass of a step. */
    void prepareForward(boolean syncsBuffers) {
        reducer.rebuild_buckets();
        reducer.prepare_for_forward();
        if (syncsBuffers && buffers.size() > 0) {
            torch.broadcast_coalesced(group, buffers, 250L << 20, 0);
        }
    }

    /** The backward pass of a step. @param outputs from which torch finds unused parameters, or none */
    void backward(Tensor loss, TensorVector outputs) {
        reducer.prepare_for_backward(outputs);
        loss.backward();
    }

    /** Resets gradients: {@code zero_grad} refuses views. */
    void zeroGradients() {
        for (long i = 0; i < parameters.size(); i++) {
            parameters.get(i).mutable_grad().reset();
        }
    }

    @Override
    public void close() {
        reducer.remove_autograd_hooks();
    }
}
