#include "cli/keyed_text.hpp"

#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "cli/readers.hpp"
#include "cli/text_parse.hpp"
#include "cli/text_reader.hpp"
#include "cli/text_rounding.hpp"

namespace monofold::cli {
namespace {

using length_type = std::uint32_t;

// A field of a key: its length in bytes, then its text.
void append_field(std::string& key, std::string_view text) {
  const auto length = static_cast<length_type>(text.size());
  char bytes[sizeof(length)];
  std::memcpy(bytes, &length, sizeof(length));
  key.append(bytes, sizeof(length)).append(text);
}

// Numbers for keys, by a hash table with open addressing that is at most half full. A slot knows 32 bits of the
// hash, so that hardly any other key is looked at.
class key_table {
 public:
  explicit key_table(std::deque<std::string>& keys) : keys_(keys), slots_(1024) {}

  std::uint32_t number_of(const std::string& key) {
    // Rows of one key often follow each other.
    if (!keys_.empty() && keys_[last_] == key) return last_;
    const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(key));
    std::size_t at = place_of(hash);
    for (; slots_[at].number != 0; at = place_of(at + 1)) {
      last_ = slots_[at].number - 1;
      if (slots_[at].hash == hash && keys_[last_] == key) return last_;
    }
    keys_.push_back(key);
    slots_[at] = {hash, static_cast<std::uint32_t>(keys_.size())};
    last_ = slots_[at].number - 1;
    if (2 * keys_.size() > slots_.size()) grow();
    return last_;
  }

 private:
  struct slot {
    std::uint32_t hash;
    std::uint32_t number;  // 0, or one more than a key's
  };

  std::size_t place_of(std::size_t hash) const { return hash & (slots_.size() - 1); }
  void grow() {
    std::vector<slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const slot& one : old) {
      if (one.number == 0) continue;
      std::size_t at = place_of(one.hash);
      while (slots_[at].number != 0) at = place_of(at + 1);
      slots_[at] = one;
    }
  }

  std::deque<std::string>& keys_;
  std::vector<slot> slots_;
  std::uint32_t last_ = 0;
};

class keyed_reader : private text_reader {
 public:
  keyed_reader(std::unique_ptr<byte_stream> stream, const std::string& extension,
               const read_options& options)
      : text_reader(std::move(stream), extension, options),
        rounding_(options.type ? rounding_watch::state::off : rounding_watch::state::on),
        fields_(layout_.by.size()) {
    for (std::size_t i = 0; i < layout_.by.size(); ++i) {
      const auto column = static_cast<std::size_t>(layout_.by[i]);
      if (column >= places_.size()) places_.resize(column + 1);
      places_[column].push_back(i);
    }
    out_.type = type_;
    out_.names = layout_.table ? layout_.by_names : options.by;
  }

  keyed_items read() {
    visit_dtype(type_, [this]<class T>() {
      do {
        parse_rows<T>();
      } while (more());
    });
    out_.missing = missing_count_;
    out_.bytes = text_.taken_bytes();
    if (const auto rounded = rounding_.remark()) out_.remarks.push_back(*rounded);
    return std::move(out_);
  }

 private:
  struct field {
    std::string_view raw;
    bool doubled = false;
  };

  template <class T>
  void parse_rows() {
    const char* at = text_.begin();
    const char* const last = text_.end();
    while (at != last) {
      field number;
      const auto take = [&](std::int64_t index, std::string_view raw, bool doubled) {
        if (index == layout_.column) number = {trimmed(raw), doubled};
        const auto column = static_cast<std::size_t>(index);
        if (column >= places_.size()) return;
        for (const std::size_t i : places_[column]) fields_[i] = {raw, doubled};
      };
      const text_row row = scan_row<quoted_blanks::kept>(at, last, layout_.delimiter, take);
      check_row(row);
      if (row.result == text_row::outcome::incomplete) break;
      if (!row.blank) {
        check_columns(row);
        add_row<T>(number);
      }
      line_ += row.num_lines;
      at = row.end;
    }
    text_.consume(at);
  }

  template <class T>
  void add_row(const field& number) {
    std::string held;
    std::string_view token = number.raw;
    if (number.doubled) token = held = unquoted(token, true);
    if (!missing_.empty() && is_missing(token)) return;
    T value;
    const char* const end = token.data() + token.size();
    if (token.empty() || parse_prefix(token.data(), end, value) != end) value = number_in<T>(token);
    rounding_.look(token.data(), end);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    out_.items.insert(out_.items.end(), bytes, bytes + sizeof(T));
    key_.clear();
    for (const field& one : fields_) {
      if (one.doubled) {
        append_field(key_, unquoted(one.raw, true));
      } else {
        append_field(key_, one.raw);
      }
    }
    out_.groups.push_back(table_.number_of(key_));
  }

  rounding_watch rounding_;
  std::vector<field> fields_;                     // of the row at hand, in the order of the key
  std::vector<std::vector<std::size_t>> places_;  // of a column: which fields of the key it is
  std::string key_;
  keyed_items out_;
  key_table table_{out_.keys};
};

}  // namespace

std::vector<std::string_view> key_fields(std::string_view key, std::size_t count) {
  std::vector<std::string_view> fields;
  for (std::size_t i = 0; i < count; ++i) {
    length_type length = 0;
    std::memcpy(&length, key.data(), sizeof(length));
    fields.push_back(key.substr(sizeof(length), length));
    key.remove_prefix(sizeof(length) + length);
  }
  return fields;
}

keyed_items read_keyed(const std::string& path, const read_options& options) {
  return keyed_reader(open_text_stream(path, options), extension_of(path), options).read();
}

}  // namespace monofold::cli
