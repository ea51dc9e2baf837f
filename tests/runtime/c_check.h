#ifndef MONOFOLD_TESTS_RUNTIME_C_CHECK_H
#define MONOFOLD_TESTS_RUNTIME_C_CHECK_H
/* runtime/c_check: what a test in plain C checks with. */

#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                           \
    }                                                                       \
  } while (0)

/* The exit code of a test. */
static int exit_code(void) {
  (void)fprintf(stderr, "%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}

#endif
