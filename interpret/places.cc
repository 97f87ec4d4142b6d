// Places, and the life and death of what lies there.
#include "lang/nir/places.h"

#include "interpret/machine.h"
#include "lang/nir/text.h"

namespace nikaia::interpret {

using lang::nir::ProjectionKind;

namespace {

const char* gone(Life life) {
  switch (life) {
    case Life::absent: return "never given a value";
    case Life::moved: return "handed over";
    case Life::dead: return "dead";
    case Life::live: break;
  }
  return "there";
}

}  // namespace

std::string Machine::name_of(const Frame& fr, LocalId l) const {
  const lang::nir::Local& local = fr.f.locals[l];
  return local.name.valid() ? std::string(compilation_.names.text(local.name)) : "%" + std::to_string(l.index);
}

std::string Machine::place_text(const Frame& fr, const Place& p) const {
  const lang::nir::TextWorld world{compilation_.types, decls_, compilation_.names};
  return "`" + lang::nir::print_place(world, fr.f, p) + "` in `" + fr.f.name + "`";
}

// ---- what is behind a view

bool Machine::check_target(Cell* pointer) {
  Cell* target = pointer->target;
  if (target == nullptr) return true;
  const bool is_counted = pointer->kind != Kind::pointer;  // text and runs outlive their owner
  if (target->life == Life::live) {
    if (!pointer->is_mut && target->version != pointer->seen) {
      finding("a view is read after what it looks at was changed");
      return false;
    }
    return true;
  }
  if (target->life == Life::dead && is_counted) return true;
  finding(std::string("a view is read whose owner is ") + gone(target->life));
  return false;
}

Cell* Machine::reached(Cell* c) {
  for (int n = 0; n < 8 && c->kind == Kind::pointer; ++n) {
    if (!check_target(c)) return unit();
    c = c->target;
  }
  if (c->kind == Kind::view || c->kind == Kind::run) check_target(c);
  if (c->life != Life::live) finding(std::string("a value is read that is ") + gone(c->life));
  return c;
}

std::string_view Machine::text_of(Cell* c) {
  c = reached(c);
  if (c->kind != Kind::text && c->kind != Kind::view) {
    if (!stopped()) stop(Ending::not_built, "a value that is no text is used as one");
    return {};
  }
  return std::string_view(*c->buffer).substr(c->at, c->size);
}

void Machine::require_ascii(std::string_view text) {
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return stop(Ending::not_built, "letters beyond ASCII in this place");
  }
}

void Machine::elements_of(Cell* c, std::vector<Cell*>& out) {
  c = reached(c);
  if (stopped()) return;
  if (c->kind == Kind::list) {
    out = c->parts;
  } else if (c->kind == Kind::run) {
    Cell* list = c->target;
    if (list->life == Life::dead) return stop(Ending::not_built, "a run that outlives its list");
    if (c->at + c->size <= list->parts.size()) {
      out.assign(list->parts.begin() + static_cast<std::ptrdiff_t>(c->at),
                 list->parts.begin() + static_cast<std::ptrdiff_t>(c->at + c->size));
    }
  } else {
    stop(Ending::not_built, "a value that is no list is used as one");
  }
}

// ---- places

Cell* Machine::at(Frame& fr, const Place& p, bool changes) {
  Cell* c = fr.slots[p.root.index];
  if (c == nullptr) {
    finding(place_text(fr, p) + " is used outside its region");
    return unit();
  }
  for (std::size_t n = 0; n < p.path.size(); ++n) {
    const lang::nir::Projection& x = p.path[n];
    if (c->life != Life::live) {
      finding(place_text(fr, p) + " is used, a part of what is " + gone(c->life));
      return unit();
    }
    if (changes) changed(c);
    // What copies is handed to a lambda as itself; here it may be a pointer all the same.
    if (c->kind == Kind::pointer && x.kind != ProjectionKind::deref) {
      if (!check_target(c)) return unit();
      c = c->target;
    }
    switch (x.kind) {
      case ProjectionKind::field:
      case ProjectionKind::part:
        if (x.index >= c->parts.size()) {
          finding(place_text(fr, p) + " has no such part");
          return unit();
        }
        c = c->parts[x.index];
        break;
      case ProjectionKind::payload:
        if (c->kind != Kind::variant || c->variant != x.variant || x.index >= c->parts.size()) {
          finding(place_text(fr, p) + " is read of another variant");
          return unit();
        }
        c = c->parts[x.index];
        break;
      case ProjectionKind::some:
        if (c->kind != Kind::nullable || c->parts.empty()) {
          finding(place_text(fr, p) + " is read and is null");
          return unit();
        }
        c = c->parts[0];
        break;
      case ProjectionKind::deref:
        if (c->kind != Kind::pointer) break;  // a view of text, a run or a function is itself what it looks at
        if (!check_target(c)) return unit();
        c = c->target;
        break;
      case ProjectionKind::inside: c = c->shared->inner; break;
      case ProjectionKind::index: {
        Cell* at = fr.slots[x.at.index];
        if (at == nullptr || at->life != Life::live) {
          finding("an index is used that is not there");
          return unit();
        }
        Cell* list = c;
        std::size_t first = 0, size = c->parts.size();
        if (c->kind == Kind::run) {
          if (!check_target(c)) return unit();
          list = c->target;
          first = c->at;
          size = c->size;
        } else if (c->kind != Kind::list) {
          stop(Ending::not_built, "an index into what is no list");
          return unit();
        }
        if (at->number < 0 || static_cast<std::size_t>(at->number) >= size) {
          stop(Ending::panicked, "index out of bounds");
          return unit();
        }
        c = list->parts[first + static_cast<std::size_t>(at->number)];
        break;
      }
    }
  }
  if (changes) changed(c);
  return c;
}

namespace {

// The life of the first part that is not there; live where all are.
Life life_of_all(const Cell* c) {
  if (c->life != Life::live || !c->has_inner_parts()) return c->life;
  for (const Cell* part : c->parts) {
    if (const Life life = life_of_all(part); life != Life::live) return life;
  }
  return Life::live;
}

}  // namespace

void Machine::require_whole(Frame& fr, const Place& p, const Cell* c) {
  if (stopped()) return;
  const Life life = life_of_all(c);
  if (life == Life::live) return;
  finding((c->life == Life::live ? "a part of " : "") + place_text(fr, p) + " is read or handed over, and is " +
          gone(life));
}

Cell* Machine::read(Frame& fr, const Place& p) {
  Cell* c = at(fr, p);
  require_whole(fr, p, c);
  return c;
}

void Machine::write_to(Frame& fr, const Place& p, Cell* value, bool old_dies) {
  if (p.path.empty()) {
    Cell* old = fr.slots[p.root.index];
    if (old == nullptr) {
      finding(place_text(fr, p) + " is assigned outside its region");
      return;
    }
    if (old->life == Life::live && old_dies)
      kill(old);
    else if (old->life == Life::live && holds_code(old))
      finding(place_text(fr, p) + " is overwritten without a drop");
    fr.slots[p.root.index] = value;
    return;
  }
  Cell* to = at(fr, p, true);
  if (stopped()) return;
  if (to->life == Life::live) {
    Cell* old = make(Kind::none);
    const std::uint32_t version = to->version;
    *old = std::move(*to);
    *to = Cell();
    to->version = version;
    if (old_dies)
      kill(old);
    else if (holds_code(old))
      finding(place_text(fr, p) + " is overwritten without a drop");
  }
  const std::uint32_t version = to->version;
  *to = std::move(*value);
  to->version = version + 1;
  value->life = Life::moved;
}

// ---- moving, copying, dying

Cell* Machine::moved_out(Cell* c) {
  Cell* out = make(c->kind);
  *out = std::move(*c);
  out->version = 0;
  c->kind = out->kind;
  c->life = Life::moved;
  c->type = out->type;
  c->variant = out->variant;
  c->parts = out->parts;
  if (!out->has_inner_parts()) {
    c->parts.clear();
    return out;
  }
  for (Cell*& part : out->parts) {
    if (part->life == Life::live) part = moved_out(part);
  }
  return out;
}

Cell* Machine::copied(Cell* c) {
  Cell* out = make(c->kind);
  *out = *c;
  out->version = 0;
  for (Cell*& part : out->parts) part = copied(part);
  return out;
}

Cell* Machine::cloned(Cell* c) {
  c = reached(c);
  if (stopped()) return unit();
  Cell* out = make(c->kind);
  *out = *c;
  out->version = 0;
  if (c->kind == Kind::view) {
    out->kind = Kind::text;
    out->target = nullptr;
    return out;
  }
  for (Cell*& part : out->parts)
    part = part->kind == Kind::view || part->kind == Kind::pointer ? copied(part) : cloned(part);
  return out;
}

bool Machine::runs_code(lang::TypeId type) {
  if (auto known = runs_code_.find(type.index); known != runs_code_.end()) return known->second;
  const bool found = lang::teardown_of(compilation_.types, decls_, type).runs_code();
  runs_code_.emplace(type.index, found);
  return found;
}

bool Machine::holds_code(Cell* c) {
  if (c->life != Life::live) return false;
  if (c->type.valid() && (c->kind == Kind::structure || c->kind == Kind::variant) &&
      decls_.types[compilation_.types[c->type].decl].drop.valid()) {
    return true;
  }
  if (c->kind == Kind::shared) return c->shared.use_count() == 1 && holds_code(c->shared->inner);
  if (c->kind == Kind::failure) return false;
  for (Cell* part : c->parts) {
    if (holds_code(part)) return true;
  }
  return false;
}

void Machine::kill(Cell* c) {
  if (stopped() || c->life != Life::live) return;
  if (c->type.valid() && (c->kind == Kind::structure || c->kind == Kind::variant)) {
    const lang::TypeDecl& decl = decls_.types[compilation_.types[c->type].decl];
    if (decl.cleanup.valid()) {
      stop(Ending::not_built, "a type with a `Cleanup`");
      return;
    }
    if (decl.drop.valid()) {
      for (Cell* part : c->parts) {
        if (part->life != Life::live) {
          finding("a value with a `Drop` is torn down with a part gone");
          return;
        }
      }
      Cell* error = nullptr;
      call_function(instances_.find(decl.drop, compilation_.types[c->type].args), {pointer_to(c, true)}, nullptr,
                    error);
      if (stopped()) return;
    }
  }
  c->life = Life::dead;
  for (auto part = c->parts.rbegin(); part != c->parts.rend(); ++part) kill(*part);
  if (c->kind == Kind::shared) {
    const std::shared_ptr<SharedBox> box = std::move(c->shared);
    c->shared = nullptr;
    if (box.use_count() == 1) kill(box->inner);
  } else if (c->kind == Kind::function && c->closure != nullptr) {
    const std::shared_ptr<Closure> closure = std::move(c->closure);
    c->closure = nullptr;
    if (closure.use_count() != 1) return;
    for (auto x = closure->captured.rbegin(); x != closure->captured.rend(); ++x) kill(x->second);
  }
}

}  // namespace nikaia::interpret
