#include "tests/ownership/compiler.h"

#include <cstdio>
#include <cstdlib>

#include "driver/files.h"
#include "driver/installation.h"
#include "driver/prepare.h"

namespace nikaia::ownership {

struct Compiler::Parts {
  driver::Installation installation;
  driver::Pipeline pipeline;
  lang::BuildOptions options;
};

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "the compiler cannot be used: %s\n", why.c_str());
  std::exit(2);
}

}  // namespace

Compiler::Compiler() : parts_(std::make_unique<Parts>()) {
  auto installation = driver::find_installation();
  if (!installation) give_up("no installation");
  parts_->installation = std::move(*installation);
  driver::PipelineRequest request;
  request.emit = "cpp";
  request.must_have_emission = true;
  auto pipeline = driver::load_pipeline(parts_->installation, request);
  if (!pipeline) give_up("the passes do not load");
  parts_->pipeline = std::move(*pipeline);
  const auto ledger = driver::read_file(parts_->installation.library_ledger());
  if (!ledger) give_up("no ledger of the library");
  parts_->options.library_ledger = *ledger;
}

Compiler::~Compiler() = default;

std::unique_ptr<Checked> Compiler::check(const std::string& text, bool emit) const {
  auto out = std::make_unique<Checked>();
  driver::ProjectPackage package;
  package.name = "generated";
  driver::SourceFile file;
  file.path = "/generated.nika";
  file.stable_name = file.given_name = "generated.nika";
  file.text = text;
  package.files.push_back(std::move(file));
  out->project.packages.push_back(std::move(package));
  out->project.single_file = true;
  out->front_end = std::make_unique<driver::FrontEnd>(out->project, parts_->pipeline, parts_->options, "");
  out->front_end->run(emit, std::nullopt);
  lang::Compilation& compilation = out->front_end->compilation;
  for (const lang::Diagnostic& d : compilation.sink.take_sorted(compilation.sources)) {
    if (d.severity == lang::Severity::warning || d.severity == lang::Severity::note) continue;
    Refusal r;
    r.is_internal = d.severity == lang::Severity::internal;
    if (d.code != lang::Code::none) r.code = lang::code_name(d.code);
    if (d.primary.span.has_text()) r.line = compilation.sources.line_of(d.primary.span.file, d.primary.span.begin);
    r.message = d.message;
    out->refusals.push_back(std::move(r));
  }
  return out;
}

}  // namespace nikaia::ownership
