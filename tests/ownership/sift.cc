#include "tests/ownership/sift.h"

namespace nikaia::ownership {

Sifted sift(const Compiler& compiler, std::vector<Candidate>& candidates, bool emit) {
  Sifted out;
  for (;;) {
    std::vector<const std::vector<std::string>*> lines;
    std::vector<std::string> names;
    std::vector<Candidate*> in;
    for (Candidate& c : candidates) {
      if (!c.is_accepted()) continue;
      lines.push_back(&c.lines);
      names.push_back(c.name);
      in.push_back(&c);
    }
    if (in.empty()) return out;
    std::vector<std::uint32_t> first;
    out.text = file_of(lines, names, first);
    out.checked = compiler.check(out.text, emit);
    if (out.checked->is_accepted()) return out;
    bool has_found = false;
    for (const Refusal& r : out.checked->refusals) {
      std::size_t at = in.size();
      for (std::size_t i = 0; i < in.size(); ++i) {
        if (r.line >= first[i] && r.line < first[i] + in[i]->lines.size()) at = i;
      }
      if (r.is_internal || at == in.size()) {
        out.trouble = r.code + " " + r.message + " (line " + std::to_string(r.line) + ")";
        return out;
      }
      in[at]->refusals.push_back(r);
      has_found = true;
    }
    if (!has_found) {
      out.trouble = "refused without a message";
      return out;
    }
  }
}

}  // namespace nikaia::ownership
