// A pass that fails at work, in the way its option `how` names.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nikaia/pass.h>

#include "lang/compilation.h"

namespace {

using namespace nikaia;

constexpr lang::FactKey<int> promised_fact{"promised@1"};
constexpr lang::FactKey<int> unannounced_fact{"unannounced@1"};

// Never reaches `end` before the stack is used up.
int descend(long depth, long end) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth == end) return 0;
  return descend(depth + 1, end) + frame[0];
}

struct NotAnException {};

void run(PassContext& context) {
  context.looking_at("stoke", context.sources().path(lang::FileId(0u)));
  const std::string_view how = context.option("how");
  if (how == "keep-promise") context.provide(promised_fact);
  if (how == "throw") throw std::runtime_error("the boiler is cold");
  if (how == "throw-nothing") throw NotAnException{};
  if (how == "segfault") std::raise(SIGSEGV);
  if (how == "null") *reinterpret_cast<volatile int*>(std::stoul("0")) = 1;
  if (how == "abort") std::abort();
  if (how == "recurse") descend(0, std::stol("1000000000000"));
  if (how == "read") context.require(unannounced_fact);
  if (how == "provide") context.provide(unannounced_fact);
  if (how == "option") context.option("unannounced");
  if (how == "write") context.write_result("x.cc", "", "");
  if (how == "code") {
    context.sink().report_plugin("XYZ0001", lang::Severity::error, lang::Span(), "Unannounced.");
    context.provide(promised_fact);
  }
}

constexpr const char* promised[] = {"promised@1", nullptr};
constexpr PassOption options[] = {{"how", "keep-promise", "the way it fails"}, {nullptr, nullptr, nullptr}};

const Pass passes[] = {{
    .name = "misbehaves",
    .purpose = "fails at work",
    .version = "1",
    .kind = PassKind::analysis,
    .stage = PassStage::tree,
    .is_optional = true,
    .provides_facts = promised,
    .options = options,
    .run = run,
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
