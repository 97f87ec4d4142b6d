// See published.h.
#include "passes/types/published.h"

#include <algorithm>

#include "passes/types/checker.h"

namespace nikaia::lang::typing {

void PublishedTexts::note(Checker& c, ast::ExprId e, Span at, TypeId actual, TypeId wanted, const Slot& slot) {
  if (!slot.published.valid() || !(wanted == c.string)) return;
  const TypeId t = c.shallow(actual);
  const bool is_view = t == c.text_view;
  if (!is_view && !(t == c.string)) return;
  if (is_view && e.valid() && is_text_literal(c, e)) return;
  const std::uint64_t key = static_cast<std::uint64_t>(slot.kind) << 62 |
                            static_cast<std::uint64_t>(slot.published.index) << 20 | (slot.published_part & 0xfffffu);
  Place& place = places_[key];
  if (!is_view) {
    if (place.owner.has_text()) return;
    place.owner = at;
    if (c.fn.valid()) place.owner_fn = fn_text(c, c.fn);
    return;
  }
  View v;
  v.at = at;
  v.kind = static_cast<std::uint8_t>(slot.kind);
  v.value = source_text(c, at);
  v.place = std::string(slot.owner);
  if (slot.kind == Slot::Kind::field) v.place += "." + std::string(slot.name);
  place.views.push_back(std::move(v));
}

void PublishedTexts::report(Checker& c) {
  std::vector<std::pair<const Place*, const View*>> found;
  for (const auto& [key, place] : places_) {
    if (!place.owner.has_text()) continue;
    for (const View& v : place.views) found.emplace_back(&place, &v);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const Span x = a.second->at, y = b.second->at;
    return x.file.index != y.file.index ? x.file.index < y.file.index : x.begin < y.begin;
  });
  for (const auto& [place, view] : found) {
    const auto kind = static_cast<Slot::Kind>(view->kind);
    const std::string copy =
        "Take the text itself, so that it is handed over, or write the copy here: `" + view->value + ".clone()`.";
    auto report =
        kind == Slot::Kind::field
            ? c.sink.error(Wording::NK1106_view_of_text, view->at, view->place, view->value)
            : c.sink.error(Code::NK1104, view->at, view->place, "text of its own", "a view of somebody else's");
    report.primary_label("kept past this call").label(place->owner, "text of its own goes in here");
    report.note("It is public and takes text of its own elsewhere, so it has one form: its own text.");
    report.note("Nikaia writes no copy for you, because a copy costs as much as the text is long.");
    report.help(copy);
  }
}

}  // namespace nikaia::lang::typing
