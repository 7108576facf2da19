package io.reactivecomm.mpi;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The binary interface of an implementation of MPI: what its {@code mpi.h} says that a compiler would take from there.
 *
 * <p>Handles are passed as 64 bits whatever they are: on 64-bit Linux an {@code int} is read from the lower half of the place that a pointer has. What MPI
 * writes, and arrays of them, have {@code handleBytes}.
 *
 * @param label what people call it
 * @param libraries its shared library, by the names under which it is looked for
 * @param handleBytes the width of a handle in memory
 * @param threadMultiple MPI_THREAD_MULTIPLE
 * @param inPlace MPI_IN_PLACE
 * @param statusIgnore MPI_STATUS_IGNORE
 * @param reducesInPlace whether MPI_Reduce may be given MPI_IN_PLACE: MPICH 4.0 through shared memory now and then takes that for an address
 * @param symbols of constants that are addresses of the library's own objects
 * @param values of all others
 */
record Dialect(
        String label,
        List<String> libraries,
        int handleBytes,
        int threadMultiple,
        long inPlace,
        long statusIgnore,
        boolean reducesInPlace,
        Map<Constant, String> symbols,
        Map<Constant, Long> values) {

    /** Open MPI 4 and 5. <b>Source.</b> Its {@code mpi.h}: handles are pointers to objects of the library. */
    static final Dialect OPEN_MPI =
            new Dialect("Open MPI", List.of("libmpi.so.40", "libmpi.so"), 8, 3, 1, 0, true, openMpiSymbols(), Map.of());

    /**
     * MPICH from 3.2 on, and what keeps to its interface: Intel MPI, Cray MPICH, MVAPICH. <b>Source.</b> MPICH's {@code mpi.h}, and the MPICH ABI compatibility
     * initiative.
     */
    static final Dialect MPICH = new Dialect(
            "MPICH",
            List.of("libmpich.so.12", "libmpi.so.12", "libmpich.so"),
            4,
            3,
            -1,
            1,
            false,
            Map.of(),
            mpichValues());

    /** MPI 5's standard interface, whoever implements it. <b>Source.</b> MPI 5.0, chapter 20, and the forum's {@code mpi.h}. */
    static final Dialect STANDARD = new Dialect(
            "MPI 5 (standard ABI)",
            List.of("libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"),
            8,
            4096,
            1,
            0,
            true,
            Map.of(),
            standardValues());

    /** All that are known, the likelier first. */
    static final List<Dialect> ALL = List.of(OPEN_MPI, MPICH, STANDARD);

    Dialect {
        libraries = List.copyOf(libraries);
        symbols = Map.copyOf(symbols);
        values = Map.copyOf(values);
        for (Constant constant : Set.of(Constant.values())) {
            if (symbols.containsKey(constant) == values.containsKey(constant)) {
                throw new IllegalArgumentException(
                        "a dialect has each constant once: dialect=" + label + ", constant=" + constant);
            }
        }
    }

    private static Map<Constant, String> openMpiSymbols() {
        Map<Constant, String> symbols = new EnumMap<>(Constant.class);
        symbols.put(Constant.COMM_WORLD, "ompi_mpi_comm_world");
        symbols.put(Constant.COMM_SELF, "ompi_mpi_comm_self");
        symbols.put(Constant.ERRORS_RETURN, "ompi_mpi_errors_return");
        symbols.put(Constant.BYTE, "ompi_mpi_byte");
        symbols.put(Constant.UINT16, "ompi_mpi_uint16_t");
        symbols.put(Constant.INT8, "ompi_mpi_int8_t");
        symbols.put(Constant.UINT8, "ompi_mpi_uint8_t");
        symbols.put(Constant.INT32, "ompi_mpi_int32_t");
        symbols.put(Constant.UINT32, "ompi_mpi_uint32_t");
        symbols.put(Constant.INT64, "ompi_mpi_int64_t");
        symbols.put(Constant.UINT64, "ompi_mpi_uint64_t");
        symbols.put(Constant.FLOAT, "ompi_mpi_float");
        symbols.put(Constant.DOUBLE, "ompi_mpi_double");
        symbols.put(Constant.SUM, "ompi_mpi_op_sum");
        symbols.put(Constant.PROD, "ompi_mpi_op_prod");
        symbols.put(Constant.MIN, "ompi_mpi_op_min");
        symbols.put(Constant.MAX, "ompi_mpi_op_max");
        symbols.put(Constant.LAND, "ompi_mpi_op_land");
        symbols.put(Constant.LOR, "ompi_mpi_op_lor");
        symbols.put(Constant.LXOR, "ompi_mpi_op_lxor");
        symbols.put(Constant.BAND, "ompi_mpi_op_band");
        symbols.put(Constant.BOR, "ompi_mpi_op_bor");
        symbols.put(Constant.BXOR, "ompi_mpi_op_bxor");
        return symbols;
    }

    private static Map<Constant, Long> mpichValues() {
        Map<Constant, Long> values = new EnumMap<>(Constant.class);
        values.put(Constant.COMM_WORLD, 0x44000000L);
        values.put(Constant.COMM_SELF, 0x44000001L);
        values.put(Constant.ERRORS_RETURN, 0x54000001L);
        values.put(Constant.BYTE, 0x4c00010dL);
        values.put(Constant.UINT16, 0x4c00023cL);
        values.put(Constant.INT8, 0x4c000137L);
        values.put(Constant.UINT8, 0x4c00013bL);
        values.put(Constant.INT32, 0x4c000439L);
        values.put(Constant.UINT32, 0x4c00043dL);
        values.put(Constant.INT64, 0x4c00083aL);
        values.put(Constant.UINT64, 0x4c00083eL);
        values.put(Constant.FLOAT, 0x4c00040aL);
        values.put(Constant.DOUBLE, 0x4c00080bL);
        values.put(Constant.MAX, 0x58000001L);
        values.put(Constant.MIN, 0x58000002L);
        values.put(Constant.SUM, 0x58000003L);
        values.put(Constant.PROD, 0x58000004L);
        values.put(Constant.LAND, 0x58000005L);
        values.put(Constant.BAND, 0x58000006L);
        values.put(Constant.LOR, 0x58000007L);
        values.put(Constant.BOR, 0x58000008L);
        values.put(Constant.LXOR, 0x58000009L);
        values.put(Constant.BXOR, 0x5800000aL);
        return values;
    }

    private static Map<Constant, Long> standardValues() {
        Map<Constant, Long> values = new EnumMap<>(Constant.class);
        values.put(Constant.COMM_WORLD, 0x101L);
        values.put(Constant.COMM_SELF, 0x102L);
        values.put(Constant.ERRORS_RETURN, 0x143L);
        values.put(Constant.BYTE, 0x247L);
        values.put(Constant.UINT16, 0x249L);
        values.put(Constant.INT8, 0x240L);
        values.put(Constant.UINT8, 0x241L);
        values.put(Constant.INT32, 0x250L);
        values.put(Constant.UINT32, 0x251L);
        values.put(Constant.INT64, 0x258L);
        values.put(Constant.UINT64, 0x259L);
        values.put(Constant.FLOAT, 0x210L);
        values.put(Constant.DOUBLE, 0x214L);
        values.put(Constant.SUM, 0x21L);
        values.put(Constant.MIN, 0x22L);
        values.put(Constant.MAX, 0x23L);
        values.put(Constant.PROD, 0x24L);
        values.put(Constant.BAND, 0x28L);
        values.put(Constant.BOR, 0x29L);
        values.put(Constant.BXOR, 0x2aL);
        values.put(Constant.LAND, 0x30L);
        values.put(Constant.LOR, 0x31L);
        values.put(Constant.LXOR, 0x32L);
        return values;
    }
}
