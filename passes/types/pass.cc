// The pass `types`: the type of every expression and name, what each call reaches, where a value is converted.
//
// Algorithm: bidirectional checking over one walk of each body with union-find over what is not known yet (infer.h,
// checker.h). Cost sketch: each expression is visited once and touches a few side tables indexed by its id; types
// without parameters are never rebuilt; the deferred lists are walked once. Linear in the size of the trees.
#include <nikaia/pass.h>

#include "passes/types/checker.h"

namespace {

using namespace nikaia::lang;

void run(nikaia::PassContext& context) {
  Types& facts = context.provide(types_fact);
  facts.resize(context.compilation().trees.size());
  typing::Checker checker(context, facts);
  typing::check_declarations(checker);
  for (std::size_t i = 0; i < context.compilation().trees.size(); ++i) {
    const FileId file(i);
    if (file.index < checker.all_names.size()) typing::check_file(checker, file);
  }
  checker.published.report(checker);
}

const char* const required[] = {"declarations@1", "names@1", nullptr};
const char* const provided[] = {"types@1", nullptr};
const char* const codes[] = {
    "NK1101", "NK1102", "NK1103", "NK1104", "NK1105", "NK1106", "NK1107", "NK1108", "NK1109", "NK1110", "NK1115",
    "NK1116", "NK1118", "NK1121", "NK1122", "NK1123", "NK1124", "NK1125", "NK1126", "NK1130", "NK1141", "NK1145",
    "NK1153", "NK1154", "NK1157", "NK1159", "NK1160", "NK1161", "NK1162", "NK1164", "NK1173", "NK1182", "NK1185",
    "NK1188", "NK1191", "NK1195", "NK1196", "NK1198", "NK1199", "NK1200", "NK1201", "NK1206", "NK1210", "NK1211",
    "NK1900", "NK1910", "NK1911", "NK1912", "NK1913", "NK1915", "NK1916", "NK1917", "NK1920", "NK1921", "NK1926",
    "NK1927", "NK1928", "NK1930", "NK1931", "NK1932", "NK1934", "NK1935", "NK1936", "NK1937", "NK1938", "NK1939",
    "NK1940", "NK1950", "NK1952", "NK1960", "NK1961", "NK1971", "NK1976", "NK1998", "NK2103", "NK2104", "NK2204",
    "NK2208", "NK2601", "NK2703", "NK2946", "NK2947", "NK2948", nullptr};

const nikaia::Pass passes[] = {{
    "types",
    "Gives every expression a type and every call its callee",
    "0.1.0",
    nikaia::PassKind::analysis,
    nikaia::PassStage::tree,
    false,
    required,
    provided,
    nullptr,
    codes,
    nullptr,
    false,
    run,
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
