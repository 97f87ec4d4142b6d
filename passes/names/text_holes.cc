#include "passes/names/text_holes.h"

namespace nikaia::lang::naming {

namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A name, then members, calls and indexes, then operators and further such operands: what stands in holes. Whatever
// else is an expression is not worth a warning about a text.
class HoleShape {
 public:
  explicit HoleShape(std::string_view text) : text_(text) {}

  bool is_expression() {
    if (!operand()) return false;
    while (true) {
      blanks();
      if (at_ == text_.size()) return true;
      if (!operator_() || !operand()) return false;
    }
  }

 private:
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool word() {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    return at_ != from;
  }
  bool take(std::string_view symbol) {
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }

  bool operand() {
    blanks();
    if (!word()) return false;
    while (at_ < text_.size()) {
      if (take("::") || take("?.") || take(".")) {
        if (!word()) return false;
      } else if (text_[at_] == '(' || text_[at_] == '[') {
        if (!brackets()) return false;
      } else {
        break;
      }
    }
    return true;
  }

  bool brackets() {
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '(' || c == '[') ++depth;
      if ((c == ')' || c == ']') && --depth == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  bool operator_() {
    for (std::string_view symbol : {"==", "!=", "<=", ">=", "&&", "||", "??", "+", "-", "*", "/", "%", "<", ">"}) {
      if (take(symbol)) return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string looks_like_hole(std::string_view text, std::string_view written,
                            const std::function<bool(std::string_view)>& is_in_scope) {
  if (text.find_first_of("{}") == std::string_view::npos) return {};
  if (written.find("{{") != std::string_view::npos) return "{";
  if (written.find("}}") != std::string_view::npos) return "}";
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return {};
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    std::size_t end = 0;
    while (end < inside.size() && is_word_char(inside[end])) ++end;
    if (end > 0 && is_in_scope(inside.substr(0, end)) && HoleShape(inside).is_expression()) return std::string(inside);
  }
  return {};
}

}  // namespace nikaia::lang::naming
