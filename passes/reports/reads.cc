// Asked of the trees, where the statements stand as they were written: which two are candidates,
// and the first of the rules (06 §4.3) that one of them does not keep. Which became pairs is NIR's
// to say.
#include "passes/reports/reads.h"

#include <algorithm>
#include <optional>

namespace nikaia::lang::reports {
namespace {

using namespace ast;

// A statement that reads: its call, and what else it does.
struct Read {
  ExprId call;
  bool is_guarded = false;  // under a `catch`
  bool does_more = false;   // the result is used further in the same statement
};

class Finder {
 public:
  Finder(const World& w, const Names& names, const Types& types, FileId file)
      : w_(w), tree_(w.context.compilation().trees[file]), names_(names[file]), types_(types[file]) {}

  void run(const Joined& joined, std::vector<AdjacentReads>& out) const {
    for (std::size_t b = 0; b < tree_.blocks.size(); ++b) {
      const auto statements = tree_.list(tree_.blocks[BlockId(b)].statements);
      bool is_taken = false;  // the statement is the second of a pair
      for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
        const auto first = read_of(statements[i]), second = read_of(statements[i + 1]);
        const bool was_taken = is_taken;
        is_taken = false;
        if (!first || !second) continue;
        const Span at = tree_.exprs[first->call].span;
        is_taken = joined.contains({at.file.index, at.begin});
        out.push_back({at, tree_.exprs[second->call].span,
                       is_taken    ? ""
                       : was_taken ? "the first of them is half of a pair already"
                                   : why(statements[i], *first, statements[i + 1], *second)});
      }
    }
  }

 private:
  std::optional<Read> read_of(StmtId id) const {
    const auto& node = tree_.stmts[id].node;
    ExprId e;
    if (auto* let = std::get_if<LetStmt>(&node)) e = let->value;
    if (auto* assign = std::get_if<AssignStmt>(&node)) e = assign->value;
    if (auto* bare = std::get_if<ExprStmt>(&node)) e = bare->expr;
    Read out;
    while (e.valid()) {
      const auto& x = tree_.exprs[e].node;
      if (auto* paren = std::get_if<ParenExpr>(&x)) {
        e = paren->inner;
      } else if (auto* guarded = std::get_if<CatchExpr>(&x)) {
        out.is_guarded = true;
        e = guarded->guarded;
      } else if (std::holds_alternative<CallExpr>(x)) {
        const Call* call = call_at(e);
        if (call == nullptr) return std::nullopt;
        if (is_read(*call)) {
          out.call = e;
          return out;
        }
        out.does_more = true;
        e = call->receiver;
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  const Call* call_at(ExprId e) const {
    const CallId id = types_.call_of.contains(e) ? types_.call_of[e] : CallId{};
    return id.valid() ? &types_.calls[id] : nullptr;
  }
  bool is_read(const Call& call) const {
    if (!call.fn.valid()) return false;
    const std::string& key = w_.decls.fns[call.fn].key;
    return key == "fs::read" || key == "fs::read_to_string";
  }

  // The names a statement gives a value.
  std::vector<LocalId> made_by(StmtId id) const {
    std::vector<LocalId> out;
    if (auto* let = std::get_if<LetStmt>(&tree_.stmts[id].node)) {
      for (std::uint32_t i = 0; i < let->binds.count; ++i) out.push_back(names_.binds[let->binds.begin + i]);
    } else if (auto* assign = std::get_if<AssignStmt>(&tree_.stmts[id].node)) {
      if (names_.exprs[assign->place].kind == Resolution::Kind::local)
        out.push_back(names_.exprs[assign->place].local());
    }
    return out;
  }

  // The first of `made` that lies in the arguments of a read, by its source.
  std::string needed(const Read& read, const std::vector<LocalId>& made) const {
    const Span call = tree_.exprs[read.call].span;
    for (std::size_t i = 0; i < tree_.exprs.size(); ++i) {
      const Span span = tree_.exprs[ExprId(i)].span;
      const Resolution& name = names_.exprs[ExprId(i)];
      if (name.kind != Resolution::Kind::local || span.begin < call.begin || span.end > call.end) continue;
      if (std::find(made.begin(), made.end(), name.local()) != made.end())
        return w_.name(names_.locals[name.local()].name);
    }
    return {};
  }

  // Whether nothing happens while the argument is made.
  bool is_plain(ExprId e) const {
    const auto& x = tree_.exprs[e].node;
    if (auto* call = std::get_if<CallExpr>(&x)) {
      const Call* known = call_at(e);
      if (known == nullptr || known->kind != CallKind::variant) return false;
      const auto given = tree_.list(call->positional);
      return std::all_of(given.begin(), given.end(), [&](ExprId a) { return is_plain(a); });
    }
    if (auto* member = std::get_if<MemberExpr>(&x)) return is_plain(member->object);
    return std::holds_alternative<PathExpr>(x) || std::holds_alternative<SelfExpr>(x) ||
           std::holds_alternative<TextLit>(x);
  }

  std::string why(StmtId a, const Read& first, StmtId b, const Read& second) const {
    if (first.is_guarded || second.is_guarded) return "one of them stands under a `catch`";
    if (first.does_more || second.does_more) return "one of the statements does more than read";
    if (const std::string name = needed(second, made_by(a)); !name.empty())
      return "the second needs " + name + ", which the first makes";
    if (const std::string name = needed(first, made_by(b)); !name.empty())
      return "the first needs " + name + ", which the second changes";
    for (const Read* read : {&first, &second}) {
      for (const ExprId argument : call_at(read->call)->args) {
        if (!is_plain(argument))
          return "making " + w_.first_line(tree_.exprs[argument].span) + " is more than naming a value";
      }
    }
    return "the pass `pair-reads` left them";
  }

  const World& w_;
  const Tree& tree_;
  const TreeNames& names_;
  const TreeTypes& types_;
};

}  // namespace

std::vector<AdjacentReads> adjacent_reads(const World& w, const Names& names, const Types& types,
                                          const Joined& joined) {
  std::vector<AdjacentReads> out;
  for (std::size_t i = 0; i < types.size(); ++i) Finder(w, names, types, FileId(i)).run(joined, out);
  return out;
}

}  // namespace nikaia::lang::reports
