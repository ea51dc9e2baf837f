#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "cli/completion.hpp"
#include "cli/operation_pages.hpp"
#include "cli/options.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/version.hpp"

namespace monofold::cli {
namespace {

// Text as roff prints it: a minus sign that can be copied, no control lines by accident.
std::string roff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string options_roff(unsigned command) {
  std::string out;
  for (const option_entry& entry : options) {
    if ((entry.commands & command) == 0 || is_hidden(entry)) continue;
    out += fmt::format(".TP\n.B {}", roff(entry.flag));
    if (!entry.value.empty()) out += fmt::format(" \\fI{}\\fP", roff(entry.value));
    std::string choices(entry.choices);
    std::replace(choices.begin(), choices.end(), ' ', '|');
    out += '\n' + (choices.empty() ? "" : roff(choices) + ": ") + roff(entry.summary) + '\n';
  }
  return out;
}

std::string operations_roff() {
  std::string out;
  for (const auto group : {operation_group::sums, operation_group::extrema, operation_group::counts,
                           operation_group::bits}) {
    out += fmt::format(".SS {}\n", title(group));
    for (const operation_page& page : operation_pages) {
      if (page.group != group) continue;
      const auto& facts = runtime::info(page.op);
      out += fmt::format(".TP\n.B {}\n{}. Answer: {}. A NaN {}.\n", facts.name, roff(facts.summary),
                         roff(facts.answer), roff(page.nan));
      if (!page.note.empty()) out += roff(page.note) + '\n';
    }
  }
  return out +
         fmt::format(".SS Several at once\n.TP\n.B {}\n{}.\n", stats_name, roff(stats_summary));
}

std::string types_roff() {
  std::string out;
  for (const dtype_info& entry : dtypes) {
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", entry.name, entry.short_name);
  }
  return out;
}

constexpr std::string_view files_roff = R"(.SH FILES READ
A file is found out from its content and its name:
.BR .npy ,
any version, C or Fortran order, either byte order; text with one number after another; CSV, with or
without a header, where
.B \-\-column
says which column; raw items in this machine's byte order where
.B \-\-dtype
says of which type.
A file larger than memory is no problem, nor is a pipe, but for a
.B .npy
file of two dimensions or more in Fortran order: its first row ends in its last bytes, so from a pipe
it is refused. Indices count in row\-major order from 0.
.PP
The kind of a file is, in this order: what
.B \-\-format
says;
.B .npy
where the content begins so or the name ends so; text where the name ends in .csv, .tsv or .txt, or
where one of
.BR \-\-column ,
.BR \-\-delimiter ,
.B \-\-header
and
.B \-\-na
is given; raw where the name ends in .bin or .raw and
.B \-\-dtype
is given; else text if the first 4096 bytes have no control characters, and raw if they have. Where
.B \-\-dtype
is given and only the content spoke for text, a note on standard error says that it was read so.
.PP
Numbers in text are read as float64 unless
.B \-\-dtype
says otherwise, rounded once. Where that changes a whole number, which is beyond 2^53, a note on
standard error says so;
.B \-\-dtype i64
keeps it. Text that is not a number is an error, never skipped, but for what
.B \-\-na
names. Such text is dropped before anything is counted: indices count the numbers that are left,
whereas under
.B \-\-nan omit
a NaN keeps its place.
.PP
The first row of CSV is a header where
.B \-\-column
is a name; where the cell of the column is not a number; or where some cell is not a number and the
one below it is one. Empty cells have no say, since data may begin with them.
.B \-\-header yes
and
.B \-\-header no
decide instead, as where all names are numbers.
)";

constexpr std::string_view output_roff = R"(.SH OUTPUT
One operation on one file prints the bare value: for minmax and softmax_denominator both numbers, for
argmin and argmax the index, for top and bottom a line with item and index each. Several operations
on one file print a line each, several files a table with a row each and a
.B total
row, which is the answer for all items one file after the other. There is no total where a file
failed or where the element types differ.
.PP
.B \-\-json
prints an object a line with the keys op, file, dtype, count (the number of items), value, engine,
seconds and bytes, and missing where
.B \-\-na
matched. In place of value, argmin and argmax have value and index, minmax has min and max,
softmax_denominator has max and sum, top and bottom have values and indices. Of several operations
each has its name as a key: with a number, which for argmin and argmax is the index, or for the
others of these with an object of the same keys as above. count is then the answer of count, if that is among them. dot names its second file
in the key other. nan, inf and \-inf are strings; so are all floats with
.BR \-\-hex .
.PP
.B \-\-csv
prints a header and a row a file, or an item of top and bottom. Among several operations minmax has
the columns minmax_min and minmax_max, softmax_denominator likewise; top and bottom have top_values
and top_indices with blanks between their items.
.PP
.B \-\-by
prints a row for each key: the cells of its columns, then the answers, under a header. Cells that are
one key have the same text; a row whose number is missing is dropped. The answers of a group are those
of a file with its rows alone, and indices count in the group. Where a group has no result there is none
at all. JSON has an object a group, with the key by, an object of the cells; CSV has columns named like
the operations, top_index beside top, min and max for minmax, softmax_denominator_max and \-_sum.
.PP
Numbers are the shortest decimal that reads back to the same bits of their type. The bits are a
function of the data alone: threads, chunks, alignment and instruction set change none
.RB ( "monofold verify" ).
)";

constexpr std::string_view rest_roff = R"(.SH EXIT STATUS
.TP
.B 0
All is well.
.TP
.B 1
An internal error, the output could not be written, or
.B verify
found a difference.
.TP
.B 2
The command line makes no sense.
.TP
.B 3
An input is missing, unreadable or malformed.
.TP
.B 4
There is no such result: the minimum of nothing, a sum of integers that does not fit 64 bits, NaN
under
.BR "\-\-nan raise" .
.TP
.B 5
The asked device is not there.
.PP
An error is one line on standard error. Of several failing files the first decides.
.SH EXAMPLES
.nf
monofold sum a.npy
monofold stats a.npy b.npy
monofold min,max,mean prices.csv \-\-column price \-\-na NA
monofold mean prices.csv \-\-column price \-\-by city
zcat numbers.txt.gz | monofold mean
monofold sum data.bin \-\-dtype f32 \-\-json
monofold generate a.npy \-\-count 100M
.fi
)";

}  // namespace

std::string manual_page() {
  std::string out = fmt::format(
      ".\\\" Made by: monofold --man\n"
      ".TH MONOFOLD 1 \"\" \"monofold {}\" \"User Commands\"\n"
      ".SH NAME\n"
      "monofold \\- reduce arrays in files to a number, with the same bits everywhere\n"
      ".SH SYNOPSIS\n"
      ".B monofold\n"
      "\\fIOP\\fP[,\\fIOP\\fP...] [\\fIFILE\\fP...] [\\fIOPTION\\fP...]\n",
      version);
  for (const command_entry& entry : commands) {
    out += fmt::format(".br\n.B monofold {}\n{}{}[\\fIOPTION\\fP...]\n", entry.name,
                       entry.arguments, entry.arguments.empty() ? "" : " ");
  }
  out +=
      ".SH DESCRIPTION\n"
      "Reduces .npy files, raw arrays, text and CSV in one pass over the data, whatever the "
      "number\n"
      "of operations. No\n.IR FILE ,\nor\n.BR \\- ,\nis standard input.\n"
      ".SH OPERATIONS\n" +
      operations_roff() + ".SH OPTIONS\n" + options_roff(command_bit::reduce);
  out += fmt::format(".SS Element types\n{}.\n", types_roff());
  out += std::string(files_roff) + std::string(output_roff) + ".SH OTHER COMMANDS\n";
  for (const command_entry& entry : commands) {
    out += fmt::format(".SS monofold {}{}{}\n{}.\n", entry.name, entry.arguments.empty() ? "" : " ",
                       entry.arguments, roff(entry.summary));
    out += options_roff(entry.bit);
  }
  return out + std::string(rest_roff);
}

}  // namespace monofold::cli
