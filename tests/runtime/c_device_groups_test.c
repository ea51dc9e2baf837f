/* runtime/c_groups: groups by keys in memory of a GPU from plain C. Memory comes from the driver, loaded by name: where
   it is not here, or no library of kernels is, there is no device, and that is what calls must say. */

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

typedef unsigned long long device_address;

static struct {
  int (*start)(unsigned flags);
  int (*device_at)(int* device, int place);
  int (*retain)(void** context, int device);
  int (*use)(void* context);
  int (*allocate)(device_address* memory, size_t bytes);
  int (*release)(device_address memory);
  int (*to_device)(device_address to, const void* from, size_t bytes);
  int (*to_host)(void* to, device_address from, size_t bytes);
} driver;

static int has_driver(void) {
  void* const handle = dlopen("libcuda.so.1", RTLD_NOW);
  static const char* const names[] = {
      "cuInit",        "cuDeviceGet",  "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
      "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoD_v2",          "cuMemcpyDtoH_v2"};
  if (handle == NULL) return 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    void* const function = dlsym(handle, names[i]);
    if (function == NULL) return 0;
    /* C has no conversion from a pointer to data. */
    memcpy((char*)&driver + i * sizeof function, &function, sizeof function);
  }
  int device = 0;
  void* context = NULL;
  return driver.start(0) == 0 && driver.device_at(&device, 0) == 0 &&
         driver.retain(&context, device) == 0 && driver.use(context) == 0;
}

static void* there(const void* from, size_t bytes) {
  device_address memory = 0;
  CHECK(driver.allocate(&memory, bytes) == 0);
  CHECK(driver.to_device(memory, from, bytes) == 0);
  return (void*)(uintptr_t)memory;
}
/* Waits for the default stream. */
static void bring(void* to, const void* from, size_t bytes) {
  CHECK(driver.to_host(to, (device_address)(uintptr_t)from, bytes) == 0);
}
static void release(void* memory) { CHECK(driver.release((device_address)(uintptr_t)memory) == 0); }

static const int32_t keys[6] = {7, -2, 7, 7, 0, -2};
static const float items[6] = {1, 5, 3, 4, 2, 6};

static monofold_status group(const void* from, monofold_dtype dtype, int64_t count,
                             monofold_key_order order, monofold_device_groups** groups) {
  return monofold_group_keys_on_device(from, dtype, count, order, NULL, groups);
}

static void check_integers(void) {
  const float poison[3] = {-1, -1, -1};
  const int64_t far[3] = {-1, -1, -1};
  void* const by = there(keys, sizeof keys);
  void* const values = there(items, sizeof items);
  void* const out = there(poison, sizeof poison);
  void* const place = there(far, sizeof far);
  monofold_device_groups* groups = NULL;
  int32_t got[3];
  float sums[3];
  int64_t places[3];
  int64_t failed = 5;
  CHECK(group(by, MONOFOLD_INT32, 6, MONOFOLD_BY_KEY, &groups) == MONOFOLD_OK);
  CHECK(monofold_device_groups_count(groups) == 3);
  CHECK(monofold_device_groups_keys(groups, out) == MONOFOLD_OK);
  bring(got, out, sizeof got);
  CHECK(got[0] == -2 && got[1] == 0 && got[2] == 7);
  CHECK(monofold_device_groups_reduce(groups, values, MONOFOLD_FLOAT32, 6, MONOFOLD_SUM, NULL,
                                      MONOFOLD_FLOAT32, out, NULL, NULL, &failed) == MONOFOLD_OK);
  bring(sums, out, sizeof sums);
  CHECK(sums[0] == 11 && sums[1] == 2 && sums[2] == 8 && failed == -1);
  monofold_device_groups_destroy(groups);
  CHECK(group(by, MONOFOLD_INT32, 6, MONOFOLD_BY_FIRST, &groups) == MONOFOLD_OK);
  CHECK(monofold_device_groups_reduce(groups, values, MONOFOLD_FLOAT32, 6, MONOFOLD_ARGMAX, NULL,
                                      MONOFOLD_FLOAT32, out, NULL, place, NULL) == MONOFOLD_OK);
  bring(sums, out, sizeof sums);
  bring(places, place, sizeof places);
  CHECK(sums[0] == 4 && sums[1] == 6 && sums[2] == 2);
  CHECK(places[0] == 2 && places[1] == 1 && places[2] == 0);
  CHECK(monofold_device_groups_reduce(groups, values, MONOFOLD_FLOAT32, 5, MONOFOLD_SUM, NULL,
                                      MONOFOLD_FLOAT32, out, NULL, NULL,
                                      NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_device_groups_reduce(groups, items, MONOFOLD_FLOAT32, 6, MONOFOLD_SUM, NULL,
                                      MONOFOLD_FLOAT32, out, NULL, NULL,
                                      NULL) == MONOFOLD_INVALID_ARGUMENT);
  monofold_device_groups_destroy(groups);
  groups = NULL;
  CHECK(group(keys, MONOFOLD_INT32, 6, MONOFOLD_BY_KEY, &groups) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(groups == NULL);
  release(by);
  release(values);
  release(out);
  release(place);
}

static void check_floats(void) {
  const double floats[5] = {NAN, -0.0, 1, 0, -NAN};
  void* const by = there(floats, sizeof floats);
  void* const out = there(floats, sizeof floats);
  monofold_device_groups* groups = NULL;
  double got[3];
  CHECK(group(by, MONOFOLD_FLOAT64, 5, MONOFOLD_BY_KEY, &groups) == MONOFOLD_OK);
  CHECK(monofold_device_groups_count(groups) == 3);
  CHECK(monofold_device_groups_keys(groups, out) == MONOFOLD_OK);
  bring(got, out, sizeof got);
  CHECK(got[0] == 0 && !signbit(got[0]) && got[1] == 1 && isnan(got[2]));
  monofold_device_groups_destroy(groups);
  release(by);
  release(out);
}

static void check_wrong_use(void) {
  monofold_device_groups* const poison = (monofold_device_groups*)(void*)&failures;
  monofold_device_groups* groups = poison;
#define REFUSED(from, dtype, count, order, out) \
  CHECK(group(from, dtype, count, order, out) == MONOFOLD_INVALID_ARGUMENT && groups == poison)
  REFUSED(NULL, MONOFOLD_INT32, 6, MONOFOLD_BY_KEY, &groups);
  REFUSED(keys, MONOFOLD_INT32, -1, MONOFOLD_BY_KEY, &groups);
  REFUSED(keys, 13, 6, MONOFOLD_BY_KEY, &groups);
  REFUSED(keys, -1, 6, MONOFOLD_BY_KEY, &groups);
  REFUSED(keys, MONOFOLD_INT32, 6, 2, &groups);
  REFUSED(keys, MONOFOLD_INT32, 6, -1, &groups);
  REFUSED(keys, MONOFOLD_INT32, 6, MONOFOLD_BY_KEY, NULL);
  REFUSED((const char*)keys + 1, MONOFOLD_INT32, 2, MONOFOLD_BY_KEY, &groups);
#undef REFUSED
  CHECK(monofold_device_groups_count(NULL) == 0);
  CHECK(monofold_device_groups_keys(NULL, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_device_groups_reduce(NULL, items, MONOFOLD_FLOAT32, 6, MONOFOLD_SUM, NULL,
                                      MONOFOLD_FLOAT32, NULL, NULL, NULL,
                                      NULL) == MONOFOLD_INVALID_ARGUMENT);
  monofold_device_groups_destroy(NULL);
}

int main(void) {
  check_wrong_use();
  monofold_device_groups* none = NULL;
  const monofold_status status = group(NULL, MONOFOLD_INT32, 0, MONOFOLD_BY_KEY, &none);
  if (status == MONOFOLD_OK && has_driver()) {
    CHECK(monofold_device_groups_count(none) == 0);
    check_integers();
    check_floats();
  } else {
    CHECK(status == MONOFOLD_DEVICE_UNAVAILABLE && none == NULL);
  }
  monofold_device_groups_destroy(none);
  return exit_code();
}
