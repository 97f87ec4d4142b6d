#include "lang/nir/shown.h"

#include "lang/text/source.h"

namespace nikaia::lang::nir {

std::string short_source(const ShownWorld& world, Span span) {
  if (!span.has_text()) return {};
  const std::string_view text = world.sources.text(span);
  if (text.empty() || text.size() > 48 || text.find('\n') != std::string_view::npos) return {};
  return std::string(text);
}

std::string shown(const ShownWorld& world, const Function& function, const Place& place) {
  if (std::string written = short_source(world, place.span); !written.empty()) return written;
  const Local& root = function.locals[place.root];
  if (!root.name.valid()) {
    std::string made = short_source(world, root.span);
    return made.empty() || !place.path.empty() ? "this value" : made;
  }
  std::string text(world.names.text(root.name));
  TypeId at = root.type;
  for (const Projection& x : place.path) {
    const TypeDecl* decl =
        at.valid() && world.types.kind(at) == TypeKind::named ? &world.decls.types[world.types[at].decl] : nullptr;
    switch (x.kind) {
      case ProjectionKind::field:
        if (decl != nullptr && x.index < decl->fields.size())
          text += "." + std::string(world.names.text(decl->fields[x.index].name));
        break;
      case ProjectionKind::part: text += "." + std::to_string(x.index); break;
      case ProjectionKind::index: text += "[…]"; break;
      case ProjectionKind::payload:
      case ProjectionKind::some:
      case ProjectionKind::deref:
      case ProjectionKind::inside: break;
    }
    at = x.type;
  }
  return text;
}

std::string shown_root(const ShownWorld& world, const Function& function, const Place& place) {
  const Local& root = function.locals[place.root];
  return root.name.valid() ? std::string(world.names.text(root.name)) : shown(world, function, place);
}

std::string shown(const ShownWorld& world, FnId id) {
  const FnDecl& fn = world.decls.fns[id];
  if (fn.is_constructor && fn.owner.valid()) return std::string(world.names.text(world.decls.types[fn.owner].name));
  return std::string(world.names.text(fn.name));
}

}  // namespace nikaia::lang::nir
