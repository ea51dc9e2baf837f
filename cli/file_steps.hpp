#pragma once
/// cli/file_steps: the steps of a reduction of a file.

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/report.hpp"
#include "cli/source.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// Opens a file for a reduction; `what` takes its type of items.
///
/// errors     as open_source; `no_result_error` for an operation that the type does not have
std::unique_ptr<source> open_for(const reduce_command& command, const std::string& file,
                                 runtime::request& what);

/// Throws `input_error` where the sources of dot have items of two types; `other`: the right one's file.
void check_pair(const source& left, const source& right, const std::string& other);

/// Chooses how many threads read a source: those that wait for a disk leave their cores to others; those for
/// which there is no memory are left out.
void fit_threads(const reduce_command& command, runtime::request& what, const source& in);

/// Turns a reducer whose items come `offset` items late into a row of indices without that.
///
/// errors     `no_result_error`
report_row finished(report_row row, const runtime::reducer& done, const runtime::request& what,
                    std::int64_t offset);

}  // namespace monofold::cli
