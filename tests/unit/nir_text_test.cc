// The text form of NIR: what is printed is read back as the same, and no text is too strange to be given.
#include <catch2/catch.hpp>
#include <random>

#include "lang/text/source.h"
#include "tests/unit/nir_world.h"

using namespace nikaia::lang;
using nir_test::World;

namespace {

nir::Module parsed(World& w, std::string_view text) {
  auto m = nir::parse_module(text, w.types, w.decls, w.names);
  if (!m) FAIL(m.error().line << ":" << m.error().column << ": " << m.error().message);
  return std::move(*m);
}

// The text is in the form that printing gives.
void check_stays(std::string_view text) {
  World w;
  CHECK(w.print(parsed(w, text), {true, nullptr}) == text);
}

void check_error(std::string_view text, std::uint32_t line, std::uint32_t column, const std::string& message) {
  World w;
  auto m = nir::parse_module(text, w.types, w.decls, w.names);
  REQUIRE_FALSE(m);
  CHECK(m.error().message == message);
  CHECK(m.error().line == line);
  CHECK(m.error().column == column);
}

}  // namespace

TEST_CASE("a function keeps its header, locals and body") {
  check_stays(R"(main #0
site "main" "NK-7QF" file 0 !3-9

fn main #0 (p, van) -> i64 fails pauses of count file 0 !0-80 {
  param p: Parcel !5-6
  param mut van: ref mut Vec[Parcel]
  temp %2: i64
  error error%3: errors(?)
  call Vec.push[Parcel](copy van, move p @12-13) !8-20
  %2 = call count(12) -> i64 pauses !30-40 on error%3 {
    fail move error%3 !30-40
  }
  return copy %2
}

closure "main{closure 1}" #1 () inside #0 {
  return
}
)");
}

TEST_CASE("every place is written so that it can be read") {
  check_stays(R"(fn main #0 (self, r, h) {
  param self: ref Shelf
  param r: Reply
  param h: Shared[Parcel]
  let x: (i64, String)?
  temp %4: i64
  let b: Box[Vec[i64]]
  %4 = copy self.*.parcels[%4].grams
  %4 = copy h.^.grams
  %4 = copy r.Pair#1
  %4 = copy x.?.0
  %4 = copy r.Pair#0<(i64, i64)>.1
  %4 = copy b.value[%4]
  %4 = copy self.*.top<ref Parcel>.*.grams
  %4 = copy b.value: i64
  return
}
)");
}

TEST_CASE("values and constants") {
  check_stays(R"(fn main #0 () {
  let n: i64
  let s: String
  let m: HashMap[String, i64]
  let r: Reply
  let e: errors(Parcel, ?)
  let f: fn(i64, ref mut String) sync throws -> bool
  let q: Seq[i64, pauses, ends]
  n = -9223372036854775808
  n = 18446744073709551615: u64
  n = float 1.5
  n = float -inf
  n = float nan
  n = char "é"
  n = char "\x01"
  n = "a\"\\\n\tb"
  n = null: String?
  n = null: (ref Parcel)?
  n = fn count: fn(i64) -> i64
  n = fn Vec.push[i64]: refused
  n = unit
  n = true
  n = add copy n, 1
  n = eq lend s, "x"
  n = not false
  n = cast copy n as u8
  n = some move s
  n = is_null n
  n = variant of r
  n = struct Parcel (move s, 3)
  n = variant Pair of Reply (move s, copy n)
  n = tuple (copy n, copy n)
  n = list Vec[i64] (1, 2)
  n = list Array[i64, 2] (1, 2)
  n = range 0, copy n
  n = range inclusive 0, copy n
  n = to_text "x"
  n = map_read m, lend s
  n = slice s, copy n: Range[i64]
  n = closure kept #1 (move s as %0, lend_mut n as %1)
  n = format ("a = ", hole copy n {fill "*" align "<" plus alternate zero width 3 precision 2 kind "x"}, hole lend s)
  n = error_is e of Parcel
  n = error_as e of Parcel
  n = failure move s site 0
  panic "no"
}

closure "main{closure 1}" #1 () inside #0 {
  capture s: String
  capture n: ref mut i64
  return
}
)");
}

TEST_CASE("control") {
  check_stays(R"(fn main #0 (f) fails {
  param f: fn(i64) -> i64
  let x: i64
  error e: errors(?)
  let xs: Vec[Parcel]
  let p: ref Parcel
  let k: i64
  temp %6: (i64, i64)
  temp %7: i64
  error %8: errors(?)
  declare x
  if true {
  }
  if copy x: bool {
    leave L7
  } else {
    again L2
  }
  switch copy x {
    case 1, -2 {
    }
    otherwise {
      unreachable
    }
  }
  loop L0 {
    block L1 {
      scope {
        leave L0
      }
    }
  }
  guard L2 {
    raise L2 move e
  } catch e {
    drop e
  }
  walk L3 lend xs as p, k fails pauses on e {
    fail move e
  } {
    again L3
  }
  store x = 3
  map_write xs, copy x = copy x
  %7 = call value f(copy x) -> i64
  %6 = overlap (branch #0 (copy x as %1) fails, branch #0 ()) on %8 {
    fail move %8
  }
  %7 = spawn #0 (dup f as %0) fails line 12
  cleanup xs into %8 pauses
  call stop() -> never
  unreachable
}
)");
}

TEST_CASE("type parameters are told apart by number where their names are the same") {
  check_stays(R"(fn main #0 [T@4] (x) {
  param x: 'T
  let y: 'A0@0
  return
}
)");
}

TEST_CASE("a declaration that shares its spelling is written with its number") {
  World w;
  const TypeDeclId second = w.add_struct("Parcel", {});
  nir::Module m;
  nir::Function f;
  f.name = "main";
  f.result = w.basic(TypeKind::unit);
  f.locals.add({w.names.intern("a"), w.types.named(w.parcel), nir::LocalKind::named, {}});
  f.locals.add({w.names.intern("b"), w.types.named(second), nir::LocalKind::named, {}});
  f.body = f.regions.add({});
  m.functions.add(f);
  const std::string text = w.print(m);
  CHECK_THAT(text, Catch::Contains("a: Parcel@3"));
  CHECK(w.print(parsed(w, text)) == text);
}

TEST_CASE("source lines stand as comments") {
  World w;
  SourceMap sources;
  const FileId file = sources.add("a.nika", "fn main() {\n    let x = 1\n}\n");
  nir::Module m = parsed(w, "fn main #0 () file 0 {\n  let x: i64\n  x = 1 !16-25\n}\n");
  CHECK(file == FileId(0u));
  const std::string text = w.print(m, {false, &sources});
  CHECK_THAT(text, Catch::Contains("  // 2: let x = 1\n  x = 1\n"));
  CHECK(w.print(parsed(w, text)) == w.print(m));
}

TEST_CASE("what does not fit is said with its place") {
  check_error("fn main #0 () {\n  let x: Nowhere\n}\n", 2, 10, "there is no type `Nowhere`");
  check_error("fn main #1 () {\n}\n", 1, 10, "functions are numbered from 0 in their order");
  check_error("fn main #0 () {\n  drop y\n}\n", 2, 8, "there is no local `y` here");
  check_error("fn main #0 () {\n  let x: i64\n  x = copy x.label\n}\n", 3, 14, "there is no part `label` here");
  check_error("fn main #0 () {\n  call nothing()\n}\n", 2, 8, "there is no function `nothing`");
  check_error("fn main #0 () {\n  let x: i64\n  x = \"a", 3, 7, "the string is not closed");
  check_error("fn main #0 () {\n  let x: i64\n  x = closure #7 ()\n}\n", 5, 1, "there is no function #7");
  check_error("fn main #0 () {", 1, 16, "expected `}` instead of the end");
  check_error("fn main #0 () {\n  let x: i64\n  x = null\n}\n", 4, 1,
              "a constant whose type does not follow says it with `: T`");
}

TEST_CASE("nesting is held within bounds") {
  World w;
  std::string deep = "fn main #0 () {\n  let x: ";
  for (int i = 0; i < 100000; ++i) deep += "ref ";
  auto m = nir::parse_module(deep + "i64\n}\n", w.types, w.decls, w.names);
  REQUIRE_FALSE(m);
  CHECK(m.error().message == "nested too deeply");
}

namespace {

// Random NIR, valid in its ids and in nothing else.
class Any {
 public:
  Any(World& w, std::uint32_t seed) : w_(w), random_(seed) {}

  nir::Module module() {
    nir::Module m;
    const std::uint32_t count = 1 + below(3);
    for (std::uint32_t i = 0; i < count; ++i) {
      f_ = {};
      f_.name = below(2) == 0 ? "some::fn" : "a {closure}";
      f_.kind = static_cast<nir::FunctionKind>(below(2));
      f_.result = type(2);
      f_.can_fail = below(2) != 0;
      for (std::uint32_t l = 0; l < 5; ++l) {
        static constexpr const char* named[] = {"", "x", "y", "copy", "error", "x"};
        const char* name = named[below(6)];
        f_.locals.add({*name != 0 ? w_.names.intern(name) : Name{},
                       type(3),
                       static_cast<nir::LocalKind>(below(5)),
                       {},
                       below(2) != 0});
      }
      f_.params = {local(), local()};
      f_.body = region(3);
      m.functions.add(f_);
    }
    if (below(2) != 0) m.main = nir::FunctionId(0u);
    return m;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  nir::LocalId local() { return nir::LocalId(below(5)); }
  nir::LabelId label() { return nir::LabelId(below(3)); }

  TypeId type(int depth) {
    auto& t = w_.types;
    switch (depth == 0 ? below(4) : below(14)) {
      case 0: return t.basic(TypeKind::i64);
      case 1: return t.basic(TypeKind::string);
      case 2: return t.named(w_.parcel);
      case 3: return t.named(w_.reply);
      case 4: return t.ref(type(depth - 1), below(2) != 0);
      case 5: return t.nullable(type(depth - 1));
      case 6: return t.tuple({type(depth - 1), type(depth - 1)});
      case 7: return t.named(w_.decls.vec, {type(depth - 1)});
      case 8: return t.function({type(depth - 1)}, type(depth - 1), below(2) != 0, below(2) != 0);
      case 9: return t.array(type(depth - 1), below(2) != 0 ? 3 : Type::unsized);
      case 10: return t.seq(type(depth - 1), static_cast<std::uint8_t>(below(64)));
      case 11: return t.error_sum({type(depth - 1)}, below(2) != 0);
      case 12: return t.param(w_.t);
      default: return t.tuple({});
    }
  }

  nir::Place place() {
    nir::Place p{local(), {}};
    for (std::uint32_t n = below(4); n > 0; --n) {
      p.path.push_back({static_cast<nir::ProjectionKind>(below(7)), below(3), below(4), local(), type(2)});
    }
    return p;
  }

  nir::Operand operand() {
    nir::Operand o{static_cast<nir::OperandKind>(below(6)), type(2), place(), {}};
    if (o.kind == nir::OperandKind::constant) {
      o.place = {};
      switch (below(7)) {
        case 0: o.constant = nir::ConstInt{below(1000) - 500ULL}; break;
        case 1: o.constant = nir::ConstFloat{static_cast<double>(below(1000)) / 7.0}; break;
        case 2: o.constant = nir::ConstChar{static_cast<char32_t>(1 + below(0xd000))}; break;
        case 3: o.constant = nir::ConstText{w_.names.intern(std::string_view("a\"\n\x01\\", below(6)))}; break;
        case 4: o.constant = nir::ConstNull{}; break;
        case 5:
          o.constant = nir::ConstFn{FnId(below(static_cast<std::uint32_t>(w_.decls.fns.size()))), {type(1)}};
          break;
        default: o.constant = nir::ConstBool{below(2) != 0};
      }
    }
    return o;
  }
  std::vector<nir::Operand> operands() {
    std::vector<nir::Operand> v(below(3));
    for (auto& o : v) o = operand();
    return v;
  }
  nir::MakeClosure closure(bool is_kept) {
    return {nir::FunctionId(0u), {{static_cast<nir::CaptureMode>(below(5)), place(), local()}}, is_kept};
  }

  nir::Value value() {
    switch (below(12)) {
      case 0: return nir::Use{operand()};
      case 1: return nir::Binary{static_cast<nir::BinaryOp>(below(17)), operand(), operand()};
      case 2: return nir::Unary{static_cast<nir::UnaryOp>(below(3)), operand()};
      case 3: return nir::Cast{operand(), type(1)};
      case 4: return nir::VariantOf{place()};
      case 5: return nir::MakeStruct{type(1), operands()};
      case 6: return nir::MakeVariant{w_.types.named(w_.reply), below(5), operands()};
      case 7: return nir::MakeTuple{operands()};
      case 8: return nir::MapRead{place(), operand()};
      case 9: return closure(below(2) != 0);
      case 10: {
        nir::Format f;
        f.pieces.push_back({"a{b", {}, false, {}});
        f.pieces.push_back({"", operand(), true, {}});
        f.pieces.back().spec.present = below(2) != 0;
        return f;
      }
      default: return nir::ErrorAs{place(), type(1)};
    }
  }

  nir::FailEdge edge(int depth) {
    if (depth == 0 || below(2) == 0) return {};
    return {local(), region(depth - 1)};
  }

  nir::RegionId region(int depth) {
    const nir::RegionId r = f_.regions.add({});
    for (std::uint32_t n = below(4); n > 0; --n) {
      nir::Node made = node(depth);
      const nir::InstrId i = f_.instrs.emplace(std::move(made), Span{});
      f_.regions[r].push_back(i);
    }
    if (below(3) == 0) f_.regions[r].push_back(f_.instrs.emplace(nir::Return{{}, false}, Span{}));
    return r;
  }

  nir::Node node(int depth) {
    switch (depth == 0 ? below(8) : below(16)) {
      case 0: return nir::Declare{local()};
      case 1: return nir::Assign{place(), value()};
      case 2: return nir::Store{place(), operand()};
      case 3: return nir::Drop{below(2) == 0 ? std::vector{local()} : std::vector{local(), local()}};
      case 4: return nir::MapWrite{place(), operand(), operand()};
      case 5: return nir::Spawn{local(), closure(true), below(2) != 0, below(100)};
      case 6: return nir::Raise{label(), operand()};
      case 7: return nir::Leave{label()};
      case 8: {
        nir::Call c;
        if (below(2) != 0) c.to = local();
        if (below(3) != 0)
          c.fn = FnId(below(static_cast<std::uint32_t>(w_.decls.fns.size())));
        else
          c.callee = place();
        if (c.fn.valid() && below(2) != 0) c.type_args = {type(1)};
        c.args = operands();
        c.result = type(1);
        c.on_fail = edge(depth);
        return c;
      }
      case 9: return nir::If{operand(), region(depth - 1), below(2) != 0 ? region(depth - 1) : nir::RegionId{}};
      case 10:
        return nir::Switch{
            operand(), {{{1, -5}, region(depth - 1)}}, below(2) != 0 ? region(depth - 1) : nir::RegionId{}};
      case 11: return nir::Loop{label(), region(depth - 1)};
      case 12: return nir::Scope{region(depth - 1)};
      case 13: return nir::Guard{label(), region(depth - 1), local(), region(depth - 1)};
      case 14: {
        nir::Walk walk{label(), operand(), {local()}, region(depth - 1), below(2) != 0, below(2) != 0, {}};
        walk.on_fail = edge(depth);
        return walk;
      }
      default: {
        const bool is_race = below(2) != 0;
        return nir::Overlap{
            local(), is_race ? local() : nir::LocalId{}, !is_race && below(2) != 0, {closure(false)}, {1}, edge(depth)};
      }
    }
  }

  World& w_;
  std::mt19937 random_;
  nir::Function f_;
};

}  // namespace

TEST_CASE("printing what was read gives the text that was read") {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    World w;
    const std::string once = w.print(Any(w, seed).module());
    auto m = nir::parse_module(once, w.types, w.decls, w.names);
    if (!m)
      FAIL("seed " << seed << ": " << m.error().line << ":" << m.error().column << " " << m.error().message << "\n"
                   << once);
    REQUIRE(w.print(*m) == once);
  }
}

TEST_CASE("a damaged text is refused or read, never more") {
  World w;
  std::mt19937 random(7);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::string text = w.print(Any(w, seed).module());
    for (int n = 0; n < 3 && !text.empty(); ++n) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text.erase(at, random() % 8); break;
        case 1: text[at] = static_cast<char>(random() % 128); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 12));
      }
    }
    auto m = nir::parse_module(text, w.types, w.decls, w.names);
    if (!m) {
      CHECK_FALSE(m.error().message.empty());
      continue;
    }
    const std::string once = w.print(*m);
    auto again = nir::parse_module(once, w.types, w.decls, w.names);
    REQUIRE(again);
    CHECK(w.print(*again) == once);
  }
}
