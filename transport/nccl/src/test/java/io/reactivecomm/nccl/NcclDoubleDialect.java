package io.reactivecomm.nccl;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The dialects and versions that the double of NCCL is built in: what a version has not got is not exported. */
enum NcclDoubleDialect {
    NCCL("libnccl.so.2", NcclDialect.NCCL, Set.of()),
    /** 2.22.3, Debian's. */
    NCCL_OF_DEBIAN("libnccl.so.2", NcclDialect.NCCL, newest()),
    /** 2.10. */
    OLD_NCCL("libnccl.so.2", NcclDialect.NCCL, optional()),
    RCCL("librccl.so.1", NcclDialect.RCCL, newest()),
    ONECCL("libccl.so.2", NcclDialect.ONECCL, Set.of(NcclFunction.COMM_SHRINK, NcclFunction.COMM_GROW, NcclFunction.COMM_GET_UNIQUE_ID,
            NcclFunction.COMM_REVOKE));

    private final String file;
    private final NcclDialect dialect;
    private final Set<NcclFunction> absent;

    NcclDoubleDialect(String file, NcclDialect dialect, Set<NcclFunction> absent) {
        this.file = file;
        this.dialect = dialect;
        this.absent = absent;
    }

    private static Set<NcclFunction> newest() {
        return Set.of(NcclFunction.COMM_SHRINK, NcclFunction.COMM_GROW, NcclFunction.COMM_GET_UNIQUE_ID, NcclFunction.COMM_REVOKE,
                NcclFunction.ALL_TO_ALL,
                NcclFunction.GATHER, NcclFunction.SCATTER);
    }

    private static Set<NcclFunction> optional() {
        return Stream.of(NcclFunction.values()).filter(each -> !each.isRequired()).collect(Collectors.toUnmodifiableSet());
    }

    /** {@return the name by which the library is known} */
    String file() {
        return file;
    }

    NcclDialect dialect() {
        return dialect;
    }

    /** {@return whether its calls block until they are done, and it is built from other objects} */
    boolean isOneCcl() {
        return dialect == NcclDialect.ONECCL;
    }

    /** {@return the symbols that are left out} Older RCCL has its own spelling of the all-to-all. */
    List<String> hidden() {
        String spelling = this == NCCL || this == NCCL_OF_DEBIAN || this == OLD_NCCL ? "AllToAll" : "AlltoAll";
        Stream<String> functions = absent.stream().filter(each -> this != RCCL || each != NcclFunction.ALL_TO_ALL).map(NcclFunction::stem);
        return Stream.concat(functions, Stream.of(spelling)).map(stem -> dialect.prefix() + stem).distinct().sorted().toList();
    }
}
