#include "lang/types/contracts_text.h"

namespace nikaia::lang {

const ContractValue* ContractTable::find(std::string_view name) const {
  for (const ContractField& f : fields) {
    if (f.key == name) return &f.value;
  }
  return nullptr;
}

bool ContractTable::is_true(std::string_view name) const {
  const ContractValue* v = find(name);
  return v && v->kind == ContractValue::Kind::truth && v->truth;
}

bool ContractTable::is_false(std::string_view name) const {
  const ContractValue* v = find(name);
  return v && v->kind == ContractValue::Kind::truth && !v->truth;
}

std::string_view ContractTable::text(std::string_view name) const {
  const ContractValue* v = find(name);
  return v && v->kind == ContractValue::Kind::text ? std::string_view(v->texts.front()) : std::string_view();
}

const std::vector<std::string>& ContractTable::list(std::string_view name) const {
  static const std::vector<std::string> none;
  const ContractValue* v = find(name);
  return v && v->kind == ContractValue::Kind::list ? v->texts : none;
}

namespace {

class ContractReader {
 public:
  explicit ContractReader(std::string_view text) : text_(text) {}

  tl::expected<std::vector<ContractTable>, ContractError> read() {
    std::vector<ContractTable> tables;
    while (at_ < text_.size()) {
      ++line_;
      skip_blanks();
      if (!at_line_end()) {
        const bool good = peek() == '[' ? read_header(tables) : read_field(tables);
        if (!good) return tl::unexpected(ContractError{line_, error_});
        skip_blanks();
        if (!at_line_end()) return tl::unexpected(ContractError{line_, "something follows the value"});
      }
      const std::size_t next = text_.find('\n', at_);
      at_ = next == std::string_view::npos ? text_.size() : next + 1;
    }
    return tables;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  bool at_line_end() const { return peek() == '\n' || peek() == '#'; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool fail(const char* message) {
    error_ = message;
    return false;
  }

  std::string_view word() {
    const std::size_t from = at_;
    while ((peek() >= 'a' && peek() <= 'z') || (peek() >= '0' && peek() <= '9') || peek() == '_') ++at_;
    return text_.substr(from, at_ - from);
  }

  bool read_header(std::vector<ContractTable>& tables) {
    take('[');
    ContractTable table;
    table.line = line_;
    table.kind = word();
    if (!take('.') || !take('"')) return fail("a table is headed `[kind.\"key\"]`");
    const std::size_t from = at_;
    while (peek() != '"' && peek() != '\n' && peek() != '\\') ++at_;
    table.key = text_.substr(from, at_ - from);
    if (!take('"') || !take(']')) return fail("a table is headed `[kind.\"key\"]`");
    tables.push_back(std::move(table));
    return true;
  }

  bool read_field(std::vector<ContractTable>& tables) {
    ContractField field;
    field.line = line_;
    field.key = word();
    if (field.key.empty()) return fail("a key was expected");
    if (tables.empty()) return fail("a key stands before the first table");
    skip_blanks();
    if (!take('=')) return fail("a key is followed by `=`");
    skip_blanks();
    if (!read_value(field.value)) return false;
    if (tables.back().find(field.key)) return fail("a key stands twice in one table");
    tables.back().fields.push_back(std::move(field));
    return true;
  }

  bool read_value(ContractValue& value) {
    if (peek() == '"') {
      value.kind = ContractValue::Kind::text;
      return read_text(value.texts.emplace_back());
    }
    if (take('[')) {
      value.kind = ContractValue::Kind::list;
      skip_blanks();
      while (!take(']')) {
        if (!read_text(value.texts.emplace_back())) return false;
        skip_blanks();
        if (!take(',') && peek() != ']') return fail("the items of a list are separated by `,`");
        skip_blanks();
      }
      return true;
    }
    const std::string_view w = word();
    value.kind = ContractValue::Kind::truth;
    value.truth = w == "true";
    if (w != "true" && w != "false") return fail("a value is a text, `true`, `false` or a list of texts");
    return true;
  }

  bool read_text(std::string& out) {
    if (!take('"')) return fail("a text in quotes was expected");
    while (true) {
      const std::size_t from = at_;
      while (peek() != '"' && peek() != '\\' && peek() != '\n') ++at_;
      out.append(text_.substr(from, at_ - from));
      if (take('"')) return true;
      if (!take('\\')) return fail("a text ends on its line");
      if (take('"')) {
        out += '"';
      } else if (take('\\')) {
        out += '\\';
      } else {
        return fail("a text knows the escapes `\\\"` and `\\\\`");
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 0;
  std::string error_;
};

}  // namespace

tl::expected<std::vector<ContractTable>, ContractError> read_contracts(std::string_view text) {
  return ContractReader(text).read();
}

}  // namespace nikaia::lang
