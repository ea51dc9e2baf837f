#include "cli/ladder_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/json.hpp"
#include "cli/ladder_pages.hpp"
#include "ladder/pages.hpp"
#include "ladder/registry.hpp"
#include "monofold/platform/version.hpp"

namespace monofold::cli {
namespace {

std::string_view title_of(ladder::level who) {
  constexpr std::string_view titles[] = {
      "Warp rungs <small>32 values, one warp: all latency, so no bar</small>", "Block rungs",
      "Grid rungs", "Selection rungs <small>the two largest</small>"};
  return titles[static_cast<std::size_t>(who)];
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

/// Words between backticks as code.
std::string html_prose(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (const char c : html_text(text)) {
    if (c != '`') {
      out += c;
      continue;
    }
    out += is_code ? "</code>" : "<code>";
    is_code = !is_code;
  }
  return out;
}

/// A name that lines may break at its underlines.
std::string breakable(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '_' ? std::string("_<wbr>") : std::string(1, c);
  return out;
}

/// 100000000 as "100 000 000", with blanks that do not break.
std::string grouped(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += "&nbsp;";
    out += digits[i];
  }
  return out;
}

/// A row's members.
struct measured {
  std::string_view row;
  std::string_view text(std::string_view name) const { return json_member(row, name); }
  double number(std::string_view name) const {
    const std::string_view found = text(name);
    return found.empty() ? 0.0 : std::stod(std::string(found));
  }
  bool ran() const { return !text("gbps").empty(); }
};

measured row_of(std::string_view rows, std::string_view name) {
  while (!rows.empty()) {
    const measured row{rows.substr(0, rows.find('\n'))};
    rows.remove_prefix(std::min(row.row.size() + 1, rows.size()));
    if (row.text("name") == name) return row;
  }
  return {};
}

std::string bar_cell(const ladder::rung& which, const measured& row) {
  if (!row.ran()) return "<td class=\"of none\">did not run</td>";
  if (which.who == ladder::level::warp) return "<td class=\"of none\">latency alone</td>";
  return fmt::format(
      "<td class=\"of\"><span class=\"track\" style=\"--share: {0:.1f}%\"><span "
      "class=\"bar\"></span>"
      "<span class=\"share\">{0:.1f} %</span></span></td>",
      100 * row.number("share"));
}

std::string table_line(const ladder::rung& which, const measured& row) {
  const bool kept = which.keeps == ladder::order::kept;
  const bool is_long = row.ran() && row.number("share") > 0.5;
  const bool wrong = row.ran() && row.text("ok") != "true";
  std::string out =
      fmt::format("<tr class=\"row{0}{1}\"><th scope=\"row\"><a href=\"#{2}\">{3}</a></th>",
                  kept ? " kept" : "", is_long ? " long" : "", which.name, breakable(which.name));
  out += bar_cell(which, row);
  out += fmt::format("<td class=\"number\">{}</td><td class=\"number time\">{}</td>",
                     row.ran() ? rung_speed(row.number("gbps")) : "",
                     row.ran() ? rung_time(row.number("seconds")) : "");
  out += fmt::format("<td class=\"who\">{}</td><td class=\"who{}\">{}</td></tr>\n",
                     ladder::name_of(which.keeps), wrong ? " wrong" : "",
                     !row.ran() ? "refused"
                     : wrong    ? "WRONG"
                                : "ok");
  return out;
}

std::string table_rows(std::string_view rows) {
  std::string out;
  for (std::size_t i = 0; i < ladder::rungs.size(); ++i) {
    const ladder::rung& which = ladder::rungs[i];
    if (ladder::begins_level(i)) {
      out += fmt::format(
          "{}<tbody><tr><th colspan=\"6\" scope=\"rowgroup\" class=\"group\">{}</th></tr>\n",
          i == 0 ? "" : "</tbody>\n", title_of(which.who));
    }
    out += table_line(which, row_of(rows, which.name));
  }
  return out + "</tbody>";
}

std::string measured_line(const measured& row) {
  if (!row.text("refused").empty()) return html_text(row.text("refused"));
  if (!row.ran()) return "not measured";
  const std::string_view failed = row.text("failed");
  return fmt::format("{} GB/s, {:.1f} % of the read limit, {}: {} of {} {}{}{}",
                     rung_speed(row.number("gbps")), 100 * row.number("share"),
                     rung_time(row.number("seconds")), row.text("operator"), grouped(row.text("n")),
                     row.text("dtype"), failed.empty() ? "" : "; ", html_text(failed));
}

std::string rung_section(const ladder_report& what, const ladder::rung& which) {
  const ladder::page page = ladder::page_of(which.name);
  std::string out = fmt::format(
      "<section class=\"rung\" id=\"{0}\"><div class=\"head\"><h3>{0}</h3><p "
      "class=\"measured\">{1}</p></div>\n"
      "<p>{2}</p>\n<pre tabindex=\"0\" aria-label=\"drawing of {0}\">{3}</pre>\n<dl>\n",
      which.name, measured_line(row_of(what.rows, which.name)), html_prose(page.idea),
      html_text(page.drawing));
  for (const auto& [title, text] : ladder_facts(which)) {
    if (text.empty() || title == "measured") continue;  // the report's own rows are shown
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", title, html_prose(text));
  }
  out += "<dt>trace</dt><dd>";
  if (what.traces.empty()) {
    out += fmt::format("<code>monofold ladder {0} --trace {0}.html</code>", which.name);
  } else {
    out += fmt::format("<a href=\"{0}/{1}.html\">{1}, played step by step</a>",
                       html_text(what.traces), which.name);
  }
  return out + "</dd>\n</dl></section>\n";
}

std::string lead_text(const ladder_report& what, const measured& first) {
  std::string out;
  if (!what.recorded.empty()) {
    out += fmt::format(
        "<p class=\"recorded\"><strong>Recorded, not measured here.</strong> These are the rows of "
        "<code>bench/golden/h200/ladder.jsonl</code>, measured on an {} by the same command. Why: "
        "{}.</p>\n",
        html_text(first.text("device")), html_text(what.recorded));
  }
  return out +
         fmt::format(
             "<p>Each rung is one kernel. A bar is its share of the read limit, {} GB/s: a kernel "
             "that only reads the items, measured in the same run. GB/s counts the bytes of the "
             "items once.</p>\n<p><span class=\"sample\"></span>operands in any order "
             "<span class=\"sample order\"></span>order kept: right for every associative "
             "operator</p>",
             rung_speed(first.number("read_limit_gbps")));
}

void fill_in(std::string& page, std::string_view mark, std::string_view text) {
  for (std::size_t at = page.find(mark); at != std::string::npos;
       at = page.find(mark, at + text.size())) {
    page.replace(at, mark.size(), text);
  }
}

}  // namespace

std::string rung_time(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.2f} ms", seconds * 1e3);
}

std::string rung_speed(double gbps) {
  return gbps >= 100 ? fmt::format("{:.0f}", gbps) : fmt::format("{:.3g}", gbps);
}

std::string ladder_report_page(const ladder_report& what) {
  measured first;    // of all that ran
  std::string most;  // items that a rung took
  for (const ladder::rung& which : ladder::rungs) {
    const measured row = row_of(what.rows, which.name);
    if (first.row.empty() && row.ran()) first = row;
    if (row.ran() && row.number("n") > (most.empty() ? 0.0 : std::stod(most))) most = row.text("n");
  }
  std::string sections;
  for (std::size_t i = 0; i < ladder::rungs.size(); ++i) {
    const ladder::rung& which = ladder::rungs[i];
    if (ladder::begins_level(i)) {
      const std::string_view title = title_of(which.who);
      sections += fmt::format("<h2>{}</h2>\n", title.substr(0, title.find(" <")));
    }
    sections += rung_section(what, which);
  }
  std::string out(ladder::report_part("page.html"));
  fill_in(
      out, "@STYLE@",
      fmt::format("{}{}", ladder::report_part("palette.css"), ladder::report_part("report.css")));
  fill_in(out, "@SCRIPT@", ladder::report_part("theme.js"));
  fill_in(out, "@TITLE@", fmt::format("The ladder on {}", html_text(first.text("device"))));
  fill_in(out, "@LEAD@", lead_text(what, first));
  fill_in(out, "@CAPTION@",
          fmt::format("{} {}; the line at the right is the read limit", grouped(most),
                      first.text("dtype")));
  fill_in(out, "@ROWS@", table_rows(what.rows));
  fill_in(out, "@RUNGS@", sections);
  fill_in(
      out, "@FOOT@",
      fmt::format("Made by <code>monofold ladder --report</code>, version {}.", monofold::version));
  return out;
}

}  // namespace monofold::cli
