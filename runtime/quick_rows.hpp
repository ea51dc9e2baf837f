#pragma once
/// runtime/quick_rows: rows whose answers take less time than choosing a loop for them.

#include "monofold/shape/axes.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// Rows of one item, where that is the answer: a copy, past the caches where these do not hold it. False: it is not.
bool copy_single_items(const row_reducer& reducer, const void* first, const array_rows& rows,
                       answer_sink& out);

/// Sums of integers of 8 bytes, for which there are no lanes, of so few items that other ways take longer than they do.
/// False: these are not, or one is beyond the type.
bool add_few_integers(const row_reducer& reducer, const void* first, const array_rows& rows,
                      answer_sink& out);

}  // namespace monofold::runtime
