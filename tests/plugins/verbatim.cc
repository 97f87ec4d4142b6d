// The emission pass `emit-verbatim`: the C++ that stands in a source's lines `//| …`, as it stands
// there. With it the tests of the C++ toolchain choose every byte that is compiled, whatever
// `emit-cpp` does.
//
// A line `//= NAME` begins another result; the one before it is the source's own, `STEM.cc`.
#include <string>
#include <string_view>

#include <nikaia/pass.h>

#include "lang/compilation.h"

namespace {

using namespace nikaia;

void run(PassContext& context) {
  const lang::SourceMap& sources = context.sources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const lang::FileId file(i);
    const std::string path(sources.path(file));
    context.looking_at("", path);
    std::string name = path.substr(path.rfind('/') + 1);
    name.replace(name.rfind('.'), std::string::npos, ".cc");
    std::string contents;
    const std::string own = name;
    for (std::uint32_t line = 1; line <= sources.line_count(file); ++line) {
      const std::string_view text = sources.line_text(file, line);
      if (text.starts_with("//= ")) {
        context.write_result(name, contents, name == own ? path : "");
        contents.clear();
        name = text.substr(4);
      } else if (text.starts_with("//| ")) {
        contents += "#line " + std::to_string(line) + " \"" + path + "\"\n";
        contents += std::string(text.substr(4)) + "\n";
      } else if (text.starts_with("//|")) {
        contents += std::string(text.substr(3)) + "\n";
      }
    }
    context.write_result(name, contents, name == own ? path : "");
  }
}

const Pass passes[] = {{
    .name = "emit-verbatim",
    .purpose = "writes the C++ that stands in the sources' comments",
    .version = "1",
    .kind = PassKind::emission,
    .stage = PassStage::nir,
    .produces_cpp = true,
    .run = run,
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
