// Generic functions in which a value of a type parameter ends, and calls of them with a type whose cleanup can fail.
//
// A generic function is checked once and says `throws` or not for all its types, so that it has no way to hand on the
// failure of a cleanup that only some of them have: such a call is refused. What a function ends of its own parameters
// it also ends where it hands them to another that does; the least solution, by repeating.
#include <algorithm>

#include "lang/types/teardown.h"
#include "passes/effects/events.h"

namespace nikaia::lang::effects {
namespace {

// `f(type argument)` for those that stand for a parameter of which the callee ends a value.
template <class F>
void each_ended(const Program& p, const Program::GenericCall& call, F&& f) {
  const std::vector<TypeParamId>& params = p.decls.fns[call.callee].type_params;
  const std::vector<TypeParamId>& ended = p.ends_params[call.callee];
  for (std::size_t i = 0; i < params.size() && i < call.type_args.size(); ++i) {
    const bool is_ended = std::find(ended.begin(), ended.end(), params[i]) != ended.end();
    if (is_ended && call.type_args[i].valid()) f(call.type_args[i]);
  }
}

}  // namespace

void check_open_cleanups(Program& p) {
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const Program::GenericCall& call : p.generic_calls) {
      if (!call.caller.valid()) continue;
      each_ended(p, call, [&](TypeId type) {
        auto& all = p.ends_params[call.caller];
        for (TypeParamId param : teardown_of(p.table, p.decls, type).params) {
          if (std::find(all.begin(), all.end(), param) != all.end()) continue;
          all.push_back(param);
          is_new = true;
        }
      });
    }
  }
  for (const Program::GenericCall& call : p.generic_calls) {
    bool is_refused = false;
    each_ended(p, call, [&](TypeId type) { is_refused = is_refused || cleanup_can_fail(p, type); });
    if (is_refused)
      p.sink.error(lang::Code::NK1900, call.span,
                   "a call of `" + std::string(p.text(p.decls.fns[call.callee].name)) +
                       "`, in which a value ends whose cleanup can fail");
  }
}

}  // namespace nikaia::lang::effects
