package example

import io.reactivecomm.ReactiveComm
import io.reactivecomm.ReduceOp
import io.reactivecomm.Tensor
import kotlinx.coroutines.reactor.awaitSingle

/** The mean of one number of each rank; while ranks exchange it, the coroutine is suspended and no thread is blocked. */
suspend fun main() {
    val group = ReactiveComm.connect().awaitSingle()
    group.use {
        Tensor.of(floatArrayOf(group.rank().toFloat())).use { own ->
            group.allReduce(own, ReduceOp.SUM).awaitSingle()
            println("mean=${own.toFloatArray()[0] / group.size()}")
        }
    }
}
