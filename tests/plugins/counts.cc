// A plugin as it should be: two passes, a fact between them, a code and an option.
#include <string>

#include <nikaia/pass.h>

#include "lang/compilation.h"

namespace {

using namespace nikaia;

struct Counts {
  std::size_t files = 0;
};
constexpr lang::FactKey<Counts> counts_fact{"counts@1"};

void count(PassContext& context) {
  context.provide(counts_fact).files = context.sources().size();
}

void report(PassContext& context) {
  const std::size_t most = std::stoul(std::string(context.option("most")));
  const std::size_t files = context.require(counts_fact).files;
  if (files <= most) return;
  context.sink()
      .report_plugin("CNT0001", lang::Severity::warning, lang::Span::whole_file(lang::FileId(0u)),
                     "There are " + std::to_string(files) + " files.")
      .help("Write fewer.");
}

constexpr const char* counts_name[] = {"counts@1", nullptr};
constexpr const char* codes[] = {"CNT0001", nullptr};
constexpr PassOption options[] = {{"most", "100", "how many files there may be"}, {nullptr, nullptr, nullptr}};

// The reader is stated first, so that only the facts can put it second.
const Pass passes[] = {
    {
        .name = "a-count-report",
        .purpose = "warns about many files",
        .version = "2",
        .kind = PassKind::analysis,
        .stage = PassStage::tree,
        .is_optional = true,
        .requires_facts = counts_name,
        .codes = codes,
        .options = options,
        .run = report,
    },
    {
        .name = "counts",
        .purpose = "counts files",
        .version = "2",
        .kind = PassKind::analysis,
        .stage = PassStage::tree,
        .is_optional = true,
        .provides_facts = counts_name,
        .run = count,
    },
};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
