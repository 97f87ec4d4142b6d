// The JSON form: one object a line, keys in the order of the language reference. The keys of a message are always
// there, except `lint` and `log`.
#include <nlohmann/json.hpp>

#include "lang/diag/render.h"

namespace nikaia::lang {
namespace {

using Json = nlohmann::ordered_json;

Json span_json(const Span& span, const std::string& label, bool primary, const SourceMap& sources) {
  // A place without text of its own, a whole file, is given as the empty place at its start.
  const std::uint32_t begin = span.has_text() ? span.begin : 0;
  const std::uint32_t end = span.has_text() ? span.end : 0;
  const LineColumn from = sources.line_column(span.file, begin);
  const LineColumn to = sources.line_column(span.file, end);
  Json json;
  json["file"] = sources.path(span.file);
  json["line"] = from.line;
  json["column"] = from.column;
  json["end_line"] = to.line;
  json["end_column"] = to.column;
  json["byte_start"] = begin;
  json["byte_end"] = end;
  json["primary"] = primary;
  json["label"] = label.empty() ? Json() : Json(label);
  return json;
}

Json help_json(const Help& help, const SourceMap& sources) {
  Json edits = Json::array();
  for (const Edit& edit : help.edits) {
    Json json;
    json["file"] = sources.path(edit.span.file);
    json["byte_start"] = edit.span.begin;
    json["byte_end"] = edit.span.end;
    json["replacement"] = edit.replacement;
    edits.push_back(std::move(json));
  }
  Json json;
  json["message"] = help.message;
  json["edits"] = std::move(edits);
  json["applicability"] = help.applies == Applies::exact ? "exact" : "sketch";
  return json;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources) {
  constexpr const char* severities[] = {"error", "warning", "note", "internal"};
  Json spans = Json::array();
  const std::vector<PlaceBlock> blocks = place_blocks(diagnostic);
  for (bool primary : {true, false})
    for (const PlaceBlock& block : blocks)
      for (const PlaceBlock::Place& place : block.places)
        if (place.primary == primary) spans.push_back(span_json(place.span, *place.text, primary, sources));

  Json helps = Json::array();
  for (const Help& help : diagnostic.helps) helps.push_back(help_json(help, sources));

  std::string code = diagnostic.plugin_code.empty() ? code_name(diagnostic.code) : diagnostic.plugin_code;
  Json json;
  json["type"] = "diagnostic";
  json["code"] = code.empty() ? Json() : Json(code);
  json["severity"] = severities[static_cast<std::size_t>(diagnostic.severity)];
  if (diagnostic.lint) json["lint"] = true;
  json["message"] = diagnostic.message;
  json["spans"] = std::move(spans);
  json["notes"] = diagnostic.notes;
  json["helps"] = std::move(helps);
  if (diagnostic.severity == Severity::internal) json["log"] = diagnostic.log;
  json["rendered"] = render_text(diagnostic, sources);
  return line_of(json);
}

std::string summary_json(std::size_t errors, std::size_t warnings, int status) {
  Json json;
  json["type"] = "summary";
  json["errors"] = errors;
  json["warnings"] = warnings;
  json["status"] = status;
  return line_of(json);
}

}  // namespace nikaia::lang
