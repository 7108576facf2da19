/* The arithmetic of MPI's operations. */
#ifndef DOUBLE_ARITHMETIC_H
#define DOUBLE_ARITHMETIC_H

#include "dialect.h"
#include <stddef.h>

int width_of(enum type type);

/* Whether MPI defines it. */
int is_defined(enum op op, enum type type);

/* Combines elements: each of to with its counterpart in from, which is the later one. */
void fold(enum op op, enum type type, void *to, const void *from, size_t count);

#endif
