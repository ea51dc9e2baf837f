#pragma once
/// runtime/reducer: a reduction whose element type and operations are chosen at run time.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/operation.hpp"
#include "runtime/short_list.hpp"

namespace monofold::runtime {

/// propagate  NaN makes the result NaN; argmin and argmax give the first one
/// omit       as if absent
/// raise      status nan_found, and the index of the first one
enum class nan_policy : std::int32_t { propagate = 0, omit = 1, raise = 2 };

/// What exact answers are rounded to, where a number of another type is made of them. Others stay as they are.
///
/// native     as monofold_operation says: a double, or an integer
/// to_double  integers are doubles too, however large
/// to_odd     the same, as `odd_double`: to be rounded again, to a narrower type
/// to_uint64  native, but sums and inner products of integers are uint64, of signed ones too
enum class rounding { native, to_double, to_odd, to_uint64 };

/// Whether integers stay integers.
inline bool keeps_integers(rounding how) {
  return how == rounding::native || how == rounding::to_uint64;
}

/// GPUs that fold items in host memory, with pieces of it in turn: `count` of them from number `first` on.
struct gpu_span {
  int first = -1;  // that which is the calling thread's current one
  int count = 1;   // 0: all
};

/// What is to be computed. Plain data; every operation reads the same pass over the items.
struct request {
  dtype type = dtype::float64;
  std::vector<operation> ops;
  nan_policy nan = nan_policy::propagate;
  std::int64_t ddof = 0;
  std::int64_t k = 10;
  bool plain = false;  // floats not exactly: sums in float32 for up to 32 bits, else in double
  int num_threads = 0;
  bool on_gpu = false;  // items in host memory are folded by GPUs; changes no answer
  gpu_span gpus{};      // nor do these
};

/// A number as the tool prints it: float for items of 32 bits and fewer, so that the shortest text
/// that reads back to the same bits is that of the item's own type.
using number = std::variant<bool, std::int64_t, std::uint64_t, float, double>;

/// The answer to one operation.
///
/// shape      values: one number; two for minmax (min, max) and softmax_denominator (max, sum); k for top and
///            bottom. indices: one for argmin and argmax (whose value is the item), k for top and bottom; else
///            empty
struct answer {
  operation op;
  status code = status::ok;  // not ok: values and indices are empty
  short_list<number, 2> values{};
  short_list<std::int64_t, 1> indices{};
  std::int64_t first_nan = -1;  // with status nan_found
};

/// Items of a file, say, that come when they are asked for.
class item_source {
 public:
  virtual ~item_source() = default;
  /// How many items a call of `fetch` should ask for, or more.
  virtual std::int64_t fetch_items() const = 0;
  /// Items [first, first + count): in `buffer`, which is aligned to 64 bytes, or where they lie.
  ///
  /// sync       any number of threads at once, each with its own buffer
  virtual const void* fetch(std::int64_t first, std::int64_t count, void* buffer) const = 0;
};

/// A running reduction of `request.ops` over items of `request.type`.
///
/// order      the plan's tree; the bits of every answer are those of the operation alone, in one
///            call, whatever the chunks, threads and processor
/// sync       one thread at a time; `push` uses `request.num_threads` threads (0: all cores)
/// errors     the constructor throws `error`: unsupported (an operation not defined for the type,
///            dot together with other operations), invalid_argument (no ops, ddof < 0, k < 1 for
///            top and bottom, num_threads < 0, first_index < 0). push and merge throw
///            invalid_argument: a null pointer with items, a negative count, single items for dot
///            or pairs for another operation, a reducer that has another request (threads may
///            differ) or does not start where this one ends. All leave the reducer as it was.
///            What concerns the data is in the answers
/// cost       one pass; memory for 512 states of each operation
/// tested by  tests/runtime/reducer_test.cpp, tests/runtime/reducer_fused_test.cpp
class reducer {
 public:
  /// `first_index` is the index of the first item in the answers.
  explicit reducer(const request& what, std::int64_t first_index = 0);
  reducer(reducer&&) noexcept;
  reducer& operator=(reducer&&) noexcept;
  ~reducer();

  /// Appends `count` items of the requested type, in memory aligned for it.
  void push(const void* items, std::int64_t count);
  /// Appends items [0, count) of a source, each fetched by the thread that folds it. What `fetch`
  /// throws passes through, and the reducer is then good for nothing. A source for dot gives pairs, side by side.
  void push_fetched(const item_source& from, std::int64_t count);
  /// Appends `count` pairs (dot only).
  void push_pairs(const void* left, const void* right, std::int64_t count);
  /// The same of items in memory of a GPU.
  ///
  /// shape      `push_device`: any number of times; `push_whole_device`: all items of the answer at once,
  ///            into a reducer that has seen none
  /// errors     also unsupported (an operation that the GPU has no fold for), device_unavailable,
  ///            out_of_memory, internal
  /// cost       push_device: a launch for each power of two in the number of tiles, and each
  ///            pass; push_whole_device: one for each pass. Statistics share one
  void push_device(const void* items, std::int64_t count);
  void push_device_pairs(const void* left, const void* right, std::int64_t count);
  void push_whole_device(const void* left, const void* right, std::int64_t count);
  /// The answers about `count` items in memory of a GPU alone, which are not kept; `expect_device` comes before.
  ///
  /// sync       any number of threads at once
  /// errors     those of `push_whole_device`
  void expect_device();
  std::vector<answer> answers_about_device(const void* items, std::int64_t count) const;
  /// The answers about some pairs alone (dot only), by this thread and without keeping them: as of `push_pairs`.
  ///
  /// sync       any number of threads at once
  std::vector<answer> answers_about_pairs(const void* left, const void* right, std::int64_t count,
                                          rounding how = rounding::native) const;
  /// Appends everything that `next` has seen, which was made with first_index = this one's end.
  /// Where all parts begin at multiples of a tile, which is 4096 bytes of items (or of pairs), the
  /// bits are those of one call; exact operations have them wherever parts begin.
  void merge(const reducer& next);

  /// The same, wherever `next` was made to begin: its indices are counted on from this one's end, and
  /// inexact operations join the totals of the two.
  void append(const reducer& next);

  /// Takes out the items of `part`, which were pushed here too, wherever; the first index stays.
  ///
  /// order      exact: (a + b) - b has the bytes of a, infinities and NaN included; but for the index of the first
  ///            NaN where that is taken out and others are left: it is then not known
  /// errors     unsupported: an operation whose states are no sums or counts. invalid_argument: another request,
  ///            items that cannot have been here as far as counts tell, or, where NaN is an error, a first one that
  ///            is not known. The reducer stays as it was
  /// tested by  tests/runtime/c_subtract_test.c
  void subtract(const reducer& part);

  /// Another one that goes on where this one is.
  reducer copy() const;

  const request& what() const;
  /// Whether a saved state depends on the pieces: those of inexact operations do.
  bool depends_on_tree() const;
  std::int64_t first_index() const;
  std::int64_t count() const;
  /// The answers in the order of `request.ops`; more may be pushed afterwards.
  std::vector<answer> finish(rounding how = rounding::native) const;
  /// That of one of them.
  answer finish_at(std::size_t position, rounding how = rounding::native) const;

  /// The same of a settled state that is an exact sum of floats alone, where it is a number; false: another way says it.
  bool find_exact_sum(std::size_t position, double& found) const;

  /// Where all operations are exact, folds what is held to one state, which answers, `save` and `append` then find.
  /// Their bits stay.
  void settle();

  /// Everything that it holds, as the bytes of a file: what is pushed or merged after `load` has the
  /// bits that it would have had here. Where all operations are exact the same items give the same
  /// bytes, whatever the chunks, threads and processor.
  ///
  /// errors     load throws malformed_state, with a reason: no saved reducer, a damaged one, or one
  ///            of a newer version
  std::vector<unsigned char> save() const;
  /// The same into memory, of a settled state of exact sums of floats alone: how many bytes. 0: there is too little room,
  /// or another state.
  std::size_t save_into(std::span<unsigned char> out) const;
  static reducer load(std::span<const unsigned char> bytes, int num_threads = 0);

 private:
  struct parts;
  std::unique_ptr<parts> own_;
};

/// The instruction set that the loops of this process use ("AVX2", ...), and those it could use.
std::string instruction_set();
std::vector<std::string> instruction_sets();
/// Uses another one from the list from now on (for tests and `verify`); false: not available here.
bool use_instruction_set(const std::string& name);

}  // namespace monofold::runtime
