// The tree of one source file.
//
// Nodes live in vectors and are named by typed ids, dense from 0 per tree, so that a pass keeps what it
// decides about a node in a vector of its own. Lists of children are ranges into one pool per element
// type (`List<T>`); a node is small and owns no heap memory. The tree keeps what the reader wrote, the
// parentheses and the order of fields included; it decides nothing about meaning.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "lang/text/ids.h"
#include "lang/text/names.h"
#include "lang/text/span.h"

namespace nikaia::lang::ast {

using ExprId = Id<struct ExprTag>;
using StmtId = Id<struct StmtTag>;
using BlockId = Id<struct BlockTag>;
using PatternId = Id<struct PatternTag>;
using TypeExprId = Id<struct TypeExprTag>;
using ItemId = Id<struct ItemTag>;
using TextId = Id<struct TextTag>;  // decoded contents of a literal, see Tree::texts

// A run of `T`s in the tree's pool for `T`; read it with `tree.list(l)`.
template <class T>
struct List {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  bool empty() const { return count == 0; }
};

struct Ident {
  Name name;  // invalid for `_` and for what recovery made up
  Span span;
  bool is_ignored = false;  // `_`
};

struct Path {
  List<Ident> segments;
  Span span;
};

// ---- types -------------------------------------------------------------------------------------

enum class TypeExprKind : std::uint8_t {
  path,      // path, args
  ref,       // inner; is_mut for `ref mut`
  nullable,  // inner
  tuple,     // args
  function,  // args, result (may be invalid), is_sync, is_throws
  number,    // number: the length in `Array[T, 4]`
  paren,     // inner: a bracketed function type
  error,
};

struct TypeExpr {
  TypeExprKind kind = TypeExprKind::error;
  bool is_mut = false;
  bool is_sync = false;
  bool is_throws = false;
  Span span;
  Path path;
  List<TypeExprId> args;
  TypeExprId inner;
  TypeExprId result;
  std::uint64_t number = 0;
};

// ---- patterns ----------------------------------------------------------------------------------

struct FieldPattern {
  Ident field;
  PatternId pattern;  // invalid for the shorthand `field`
};

enum class PatternKind : std::uint8_t {
  ignore,        // _
  bind,          // name
  literal,       // low: a literal expression, a `-` before a number being a UnaryExpr over it
  range,         // low .. high, both ends included
  variant,       // path, parts (empty parts and !has_parens: no payload)
  shape,         // path { fields, .. }
  tuple,         // parts
  alternatives,  // parts
  error,
};

struct Pattern {
  PatternKind kind = PatternKind::error;
  bool has_rest = false;    // `..` in a shape
  bool has_parens = false;  // `V(…)`
  Span span;
  Ident name;
  Path path;
  ExprId low, high;
  List<PatternId> parts;
  List<FieldPattern> fields;
};

// One name of a `let`, a `for` or a lambda.
struct Bind {
  Ident name;
  bool is_mut = false;
};

// ---- expressions -------------------------------------------------------------------------------

enum class UnaryOp : std::uint8_t { negate, not_ };
enum class BinaryOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  shl,
  shr,
  bit_and,
  bit_xor,
  bit_or,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  and_,
  or_,
};
const char* spelling(UnaryOp op);
const char* spelling(BinaryOp op);

// The format of a hole (01 §8.3). `kind` is 0 or one of ? x X b o e E.
struct FormatSpec {
  char32_t fill = U' ';
  char align = 0;  // 0 or one of < ^ >
  bool plus = false, alternate = false, zero = false;
  bool has_width = false, has_precision = false;
  std::uint32_t width = 0, precision = 0;
  char kind = 0;
  bool present = false;  // there was a `:`
  Span span;
};

struct FPiece {
  TextId text;  // a literal run, or invalid
  ExprId hole;  // else the expression
  FormatSpec spec;
  Span span;
};

struct FieldInit {
  Ident field;
  ExprId value;  // invalid for the shorthand
};

struct OptionArg {
  Ident name;
  ExprId value;
};

struct Arm {
  PatternId pattern;  // invalid for `else`
  ExprId guard;       // may be invalid
  ExprId body;        // a block expression where braces were written
  Span span;
};

struct SelectArm {
  List<Bind> binds;
  bool is_tuple = false;
  ExprId raced;
  ExprId body;
  Span span;
};

// clang-format off
struct IntegerLit { std::uint64_t value; bool overflows; };  // overflows: above 2^64-1 (NK1116)
struct FloatLit { double value; };
struct TextLit { TextId text; };
struct CharLit { char32_t value; };
struct BoolLit { bool value; };
struct NullLit {};
struct FTextLit { List<FPiece> pieces; };
struct PathExpr { Path path; };
struct SelfExpr {};
struct ParenExpr { ExprId inner; };
struct TupleExpr { List<ExprId> parts; };
struct ListExpr { List<ExprId> elements; };
struct BlockExpr { BlockId block; };
struct IfExpr { ExprId cond; BlockId then_block; ExprId else_branch; };  // else: BlockExpr, IfExpr or invalid
struct MatchExpr { ExprId subject; List<Arm> arms; };
struct LambdaExpr { List<Bind> params; BlockId body; bool has_parens; };
struct SpawnExpr { ExprId lambda; };
struct UnsafeExpr { BlockId block; };
struct OverlapExpr { BlockId block; };  // each statement is a branch
struct SelectExpr { List<SelectArm> arms; };
// `misread_block` is valid where the braces behind a single name hold statements and not fields: `loop { … }`.
// Nothing gives that a meaning; names says which word was meant.
struct StructExpr { Path path; List<FieldInit> fields; BlockId misread_block; };
struct WithExpr { ExprId operand; List<FieldInit> fields; };
struct UnaryExpr { UnaryOp op; ExprId operand; };
struct RefExpr { ExprId operand; };
struct ComptimeExpr { ExprId operand; };  // only beside a syntax error; `let n = comptime e` is a ComptimeStmt
struct BinaryExpr { BinaryOp op; ExprId left, right; Span op_span; };
struct RangeExpr { ExprId low, high; bool is_inclusive; };
struct CastExpr { ExprId operand; TypeExprId type; };
struct CoalesceExpr { ExprId left, right; Span op_span; };
struct CatchExpr { ExprId guarded; BlockId handler; };
struct ReturnExpr { ExprId value; };  // value may be invalid
struct ThrowExpr { ExprId value; };
struct BreakExpr {};
struct ContinueExpr {};
struct MemberExpr { ExprId object; Ident member; bool is_safe; };  // is_safe: `?.`
struct TuplePartExpr { ExprId object; std::uint32_t index; Span index_span; bool is_safe; };
struct IndexExpr { ExprId object, index; };
// clang-format on
// `callee(positional; options) fn…`: a trailing lambda is the last of `positional`.
struct CallExpr {
  ExprId callee;
  List<ExprId> positional;
  List<OptionArg> options;
  bool has_parens;
  bool has_trailing_lambda;
};
// `language` is the path's first segment; `body` lies between the braces.
struct DslExpr {
  Ident language;
  Path path;
  List<OptionArg> arguments;
  Span body;
};
struct ErrorExpr {};

struct Expr {
  Span span;
  std::variant<ErrorExpr, IntegerLit, FloatLit, TextLit, CharLit, BoolLit, NullLit, FTextLit, PathExpr, SelfExpr,
               ParenExpr, TupleExpr, ListExpr, BlockExpr, IfExpr, MatchExpr, LambdaExpr, SpawnExpr, UnsafeExpr,
               OverlapExpr, SelectExpr, StructExpr, WithExpr, UnaryExpr, RefExpr, ComptimeExpr, BinaryExpr, RangeExpr,
               CastExpr, CoalesceExpr, CatchExpr, ReturnExpr, ThrowExpr, BreakExpr, ContinueExpr, MemberExpr,
               TuplePartExpr, IndexExpr, CallExpr, DslExpr>
      node;
};

// ---- statements --------------------------------------------------------------------------------

enum class AssignOp : std::uint8_t { set, add, sub, mul, div, rem, bit_and, bit_or, bit_xor, shl, shr };
const char* spelling(AssignOp op);

struct LetStmt {
  List<Bind> binds;  // one, or the flat tuple
  bool is_tuple;
  TypeExprId type;  // may be invalid
  ExprId value;
};
// clang-format off
struct ComptimeStmt { Ident name; TypeExprId type; ExprId value; };
struct AssignStmt { ExprId place; AssignOp op; ExprId value; Span op_span; };
struct WhileStmt { ExprId cond; BlockId body; };
struct ForStmt { List<Bind> binds; bool is_tuple; ExprId subject; BlockId body; };
struct JumpIfStmt { ExprId jump; ExprId cond; };  // `jump if cond`
struct ExprStmt { ExprId expr; };
struct ErrorStmt {};
// clang-format on

struct Stmt {
  Span span;
  std::variant<ErrorStmt, LetStmt, ComptimeStmt, AssignStmt, WhileStmt, ForStmt, JumpIfStmt, ExprStmt> node;
};

struct Block {
  List<StmtId> statements;
  Span span;
};

// ---- items -------------------------------------------------------------------------------------

struct TypeParam {
  Ident name;
  List<Path> bounds;
};

enum class Receiver : std::uint8_t { none, value, ref, ref_mut };

struct Param {
  Ident name;  // is_ignored for `_`
  TypeExprId type;
  Span span;
  bool is_mut = false;
};

struct OptionParam {
  Ident name;
  TypeExprId type;
  ExprId fallback;
  Span span;
};

struct Doc {
  TextId text;
};  // invalid: none

struct FnItem {
  Ident name;  // name.name invalid: the anonymous constructor, whose span is the word `fn`
  List<TypeParam> generics;
  Receiver receiver = Receiver::none;
  Span receiver_span;
  List<Param> params;
  List<OptionParam> options;
  bool has_spread = false;  // `...args: Self::dsl`
  Ident spread_name;
  TypeExprId result;  // may be invalid
  bool is_sync = false;
  List<Ident> sync_params;  // of `sync(f, g)`
  bool is_throws = false;
  BlockId body;  // invalid: a trait's signature
  bool is_extern_c = false;
  Span signature_span;  // from `fn` to the end of the effect words
};

struct FieldDecl {
  Ident name;
  TypeExprId type;
  Doc doc;
  bool is_pub = false;
};

struct StructItem {
  Ident name;
  List<TypeParam> generics;
  List<FieldDecl> fields;
  bool is_extern_c = false;
};

enum class VariantKind : std::uint8_t { unit, positional, named };

struct VariantDecl {
  Ident name;
  VariantKind kind = VariantKind::unit;
  List<TypeExprId> types;
  List<FieldDecl> fields;
  Doc doc;
};

struct EnumItem {
  Ident name;
  List<TypeParam> generics;
  List<VariantDecl> variants;
};

struct TraitItem {
  Ident name;
  List<ItemId> signatures;  // FnItem without body
};

// One argument of an `impl` head: a type parameter (bare name, with bounds) or a type. Whether a bare
// name is a parameter is decided by names, not by the shape.
struct HeadArg {
  TypeParam param;  // name invalid where it is not a bare name
  TypeExprId type;  // set in every case
};

struct ImplItem {
  bool has_trait = false;
  Path trait;
  Path type;
  List<HeadArg> args;
  List<ItemId> members;  // FnItem
  Span head_span;        // from `impl` to before the `{`
};

struct UseItem {
  Path path;    // `p`, or `std::m` (a third segment is kept for its message)
  Ident alias;  // name invalid: none
};

// clang-format off
struct ComptimeItem { Ident name; TypeExprId type; ExprId value; };
struct ExternItem { Span body; };                 // extern "C" { … }: kept as text until it is built
struct GrammarItem { Ident name; Span body; };    // likewise
struct TestItem { TextId name; List<Param> params; BlockId body; bool is_bench; };
struct ErrorItem {};
// clang-format on

struct Item {
  Span span;
  bool is_pub = false;
  Doc doc;
  std::variant<ErrorItem, UseItem, FnItem, StructItem, EnumItem, TraitItem, ImplItem, ComptimeItem, ExternItem,
               GrammarItem, TestItem>
      node;
};

// ---- the tree ----------------------------------------------------------------------------------

class Tree {
 public:
  FileId file;
  bool has_syntax_error = false;  // later passes leave the file alone
  std::vector<ItemId> roots;      // the file's items in order; members of impls and traits are not among them

  IdVector<ExprId, Expr> exprs;
  IdVector<StmtId, Stmt> stmts;
  IdVector<BlockId, Block> blocks;
  IdVector<PatternId, Pattern> patterns;
  IdVector<TypeExprId, TypeExpr> types;
  IdVector<ItemId, Item> items;
  IdVector<TextId, std::string> texts;

  template <class T>
  std::span<const T> list(List<T> l) const {
    const auto& pool = std::get<std::vector<T>>(pools_);
    return {pool.data() + l.begin, l.count};
  }
  // Copies `elements` to the end of the pool. Cost: amortised constant per element.
  template <class T>
  List<T> add_list(std::span<const T> elements) {
    auto& pool = std::get<std::vector<T>>(pools_);
    List<T> l{static_cast<std::uint32_t>(pool.size()), static_cast<std::uint32_t>(elements.size())};
    pool.insert(pool.end(), elements.begin(), elements.end());
    return l;
  }

 private:
  std::tuple<std::vector<Ident>, std::vector<ExprId>, std::vector<StmtId>, std::vector<PatternId>,
             std::vector<TypeExprId>, std::vector<ItemId>, std::vector<FieldPattern>, std::vector<Bind>,
             std::vector<FPiece>, std::vector<FieldInit>, std::vector<OptionArg>, std::vector<Arm>,
             std::vector<SelectArm>, std::vector<TypeParam>, std::vector<Path>, std::vector<Param>,
             std::vector<OptionParam>, std::vector<FieldDecl>, std::vector<VariantDecl>, std::vector<HeadArg>>
      pools_;
};

}  // namespace nikaia::lang::ast
