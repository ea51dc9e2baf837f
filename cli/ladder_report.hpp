#pragma once
/// cli/ladder_report: rows of the ladder as one page of HTML, which loads nothing.

#include <string>
#include <string_view>

namespace monofold::cli {

/// Seconds of a rung as the ladder shows them: "4.93 us".
std::string rung_time(double seconds);

/// GB/s of a rung: whole numbers from 100 on, else three digits.
std::string rung_speed(double gbps);

struct ladder_report {
  std::string_view rows;  // as `ladder --json` prints them
  std::string recorded;   // why rows are shown that were not measured here; empty: they were
  std::string traces;     // the folder of NAME.html, seen from the page; empty: there is none
};

/// The page: bars against the read limit, and each rung with its drawing and its trace.
///
/// tested by  tests/cli/tool_report_test.py
std::string ladder_report_page(const ladder_report& what);

}  // namespace monofold::cli
