#pragma once
/// trace/trace: records kernels on the emulated device, as JSON and as a page that plays them.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulation/recording.hpp"
#include "trace/cell_type.hpp"

namespace monofold::trace {

/// What a page says of a run besides what was recorded. What is empty is not said.
struct run_facts {
  std::string name;   // of what runs: a heading
  std::string title;  // in one line, what it does
  std::string operation;
  std::string note;     // what to look at
  std::string mistake;  // the run shows a mistake: what it is
  std::string result;
  std::string wanted;  // what the result must be
  std::size_t num_items = 0;
};

/// Whether memory has values before a kernel writes them.
enum class contents { set, unset };

/// Records launches while it lives; see emulation::recorder.
///
/// tested by  tests/emulation/trace_test.cu, tests/install/traced/traced.cu
class tracer {
 public:
  /// What `count` T of device memory are called on the page.
  template <class T>
  void name(const T* begin, std::size_t count, const std::string& text,
            contents before = contents::set) {
    name_cells(begin, count * sizeof(T), text, number_cell<T>(), before);
  }
  void name_cells(const void* begin, std::size_t bytes, const std::string& name,
                  const cell_type& type, contents before = contents::set);
  /// The type of the shared variables of a name; of "" all others.
  template <class T>
  void name_shared(const std::string& variable) {
    name_shared_cells(variable, number_cell<T>());
  }
  void name_shared_cells(const std::string& variable, const cell_type& type);
  /// The type of what lanes exchange.
  void set_shuffled(const cell_type& type);
  /// A file's text, for a program that runs where its sources are not.
  void add_source(std::string_view file, std::string_view text);
  /// The items in the value of each part of the recording, in its order; see docs/traces.md.
  void set_items(std::vector<std::string> items) { items_ = std::move(items); }

  const emulation::recording& found() const { return recorder_.found(); }

  /// The run as one object of JSON (docs/traces.md has its members).
  std::string json(const run_facts& facts) const;

 private:
  friend class run_writer;

  struct named_cells {
    std::string name;
    cell_type type;
    contents before;
  };

  emulation::recorder recorder_;
  std::vector<named_cells> memory_;
  std::vector<named_cells> shared_;
  cell_type shuffled_;
  std::vector<std::pair<std::string, std::string>> sources_;
  std::vector<std::string> items_;
};

/// Runs, one or two that go side by side, as a document of JSON.
std::string document(const std::vector<std::string>& runs);

/// The document as a page: one file of HTML, which loads nothing.
std::string page(std::string_view document, std::string_view title);

}  // namespace monofold::trace
