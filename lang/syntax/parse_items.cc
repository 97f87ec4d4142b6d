// Items of a file and members of types and traits.
#include <algorithm>

#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {

using ast::FnItem;
using ast::Item;

void Parser::items() {
  while (!at(TokenKind::end_of_file)) {
    std::uint32_t first = at_;
    ItemId id = item();
    if (failed_) {
      recover_item(first);
      Item skipped;
      skipped.span = since(first);
      id = tree_.items.add(std::move(skipped));
      if (failed_) return;
    }
    tree_.roots.push_back(id);
  }
}

// The `///` lines in front of a token, as one text.
ast::Doc Parser::doc_before(std::uint32_t token) {
  auto from = std::lower_bound(docs_.begin(), docs_.end(), token,
                               [](const DocLine& line, std::uint32_t t) { return line.next_token < t; });
  if (from == docs_.end() || from->next_token != token) return {};
  std::string text;
  for (auto line_at = from; line_at != docs_.end() && line_at->next_token == token; ++line_at) {
    std::string_view line = source_.substr(line_at->begin, line_at->end - line_at->begin);
    if (!line.empty() && line[0] == ' ') line.remove_prefix(1);
    if (line_at != from) text += '\n';
    text += line;
  }
  return ast::Doc{tree_.texts.add(std::move(text))};
}

ast::ItemId Parser::item() {
  std::uint32_t first = at_;
  Item item;
  item.doc = doc_before(first);
  Span pub_span = here();
  item.is_pub = accept(TokenKind::kw_pub);
  auto refuse_pub = [&](std::string_view what) {
    if (item.is_pub)
      fail(pub_span, std::string(what) + " takes no `pub`.").help_edit("Leave it out.", pub_span, "", Applies::exact);
  };
  switch (kind()) {
    case TokenKind::kw_use: refuse_pub("A `use`"); return use_item(std::move(item), first);
    case TokenKind::kw_fn: return fn_item(std::move(item), first, false);
    case TokenKind::kw_struct: return struct_item(std::move(item), first, false);
    case TokenKind::kw_enum: return enum_item(std::move(item), first);
    case TokenKind::kw_trait: return trait_item(std::move(item), first);
    case TokenKind::kw_impl:
      if (item.is_pub)
        fail(pub_span, "An `impl` takes no `pub`.")
            .help("Leave it out, and write `pub` before the methods that other packages call.");
      return impl_item(std::move(item), first);
    case TokenKind::kw_comptime: return comptime_item(std::move(item), first);
    case TokenKind::kw_grammar: return grammar_item(std::move(item), first);
    case TokenKind::kw_test: refuse_pub("A `test`"); return test_item(std::move(item), first, false);
    case TokenKind::kw_extern: return extern_item(std::move(item), first);
    case TokenKind::kw_let: return let_as_comptime_item(std::move(item), first);
    default: break;
  }
  if (at_word("bench") && peek(1).kind == TokenKind::text) {
    refuse_pub("A `bench`");
    return test_item(std::move(item), first, true);
  }
  return misplaced_item(std::move(item), first);
}

// Something that is no item, where one should begin.
ast::ItemId Parser::misplaced_item(Item item, std::uint32_t first) {
  static constexpr std::string_view statement_words =
      "A file holds items: `use`, `fn`, `struct`, `enum`, `trait`, `impl`, `comptime`, `grammar`, "
      "`extern`, `test`.";
  if (at(TokenKind::r_brace)) {
    fail(here(), "This `}` closes nothing.").help("Take it out, or look for a `{` missing above.");
  } else if (at_word("const") || at_word("static") || at_word("var")) {
    fail(here(), "A constant is declared with `comptime`.").help("Write `comptime NAME = …`.");
  } else if (at_word("import") || at_word("from") || at_word("include")) {
    fail(here(), "Another package is reached with `use`.").help("Write `use name`, or `use std::module`.");
  } else if (at_word("class")) {
    fail(here(), "There are no classes.")
        .help("Declare what a value is as a `struct`, and what it does in an `impl` block.");
  } else if (at_word("func") || at_word("function") || at_word("def") || at_word("fun")) {
    fail(here(), "A function is declared with `fn`.").help_edit("Write `fn`.", here(), "fn");
  } else if (at_word("interface") || at_word("type") || at_word("mod") || at_word("module") || at_word("namespace")) {
    fail_expected("an item")
        .note(std::string(statement_words))
        .help(
            "A set of methods that types have is a `trait`; the files of a folder form a package "
            "by themselves.");
  } else if (at_word("async")) {
    fail(here(), "A function isn't marked for waiting; any may.").help("Leave the word out.");
  } else if (item.is_pub) {
    fail_expected("an item behind `pub`")
        .help("`pub` stands before `fn`, `struct`, `enum`, `trait`, `comptime` and `grammar`.");
  } else if (begins_expr(kind()) || at(TokenKind::kw_for) || at(TokenKind::kw_while)) {
    fail(here(), "A statement can't stand outside of a function.")
        .note(std::string(statement_words))
        .help("Move it into a function; a program starts in `fn main { … }`.");
  } else {
    fail_expected("an item").note(std::string(statement_words)).help("Take it out, or move it into a function.");
  }
  item.span = since(first);
  return tree_.items.add(std::move(item));
}

// use ( name | "std" "::" name { "::" name } ) [ "as" name ]
ast::ItemId Parser::use_item(Item item, std::uint32_t first) {
  take();
  ast::UseItem use;
  std::uint32_t path_first = at_;
  Gather<ast::Ident> segments(*this, ident_stack_);
  segments.add(name("the name of a package"));
  bool is_std = !failed_ && text_of(tokens_[path_first]) == "std";
  while (at(TokenKind::colon_colon) && !failed_) {
    Span colons = here();
    take();
    if (!is_std) {
      std::string package(text_of(tokens_[path_first]));
      std::string single = at(TokenKind::name) ? std::string(text_here()) : "name";
      fail(colons, "A `use` brings in a package, not single names of it.")
          .help("Write `use " + package + "`, and `" + package + "::" + single + "` where you use it.")
          .help("For a shorter prefix write `use " + package + " as p`, and `p::" + single + "`.");
    } else if (at(TokenKind::l_brace) || at(TokenKind::star)) {
      fail(here(), "A `use` brings in a module, not single names of it.")
          .help(
              "Write a line for each module, such as `use std::time`, and `time::sleep(…)` where "
              "you use it.");
    }
    segments.add(name("the name of a module"));
  }
  use.path = ast::Path{segments.finish(), since(path_first)};
  if (accept(TokenKind::kw_as)) use.alias = name("a prefix");
  if (at_on_line(TokenKind::l_brace) || at_on_line(TokenKind::dot))
    fail(here(), "A `use` brings in a package, not single names of it.").help("End the line before this.");
  item.span = since(first);
  item.node = use;
  if (at(TokenKind::semicolon)) {
    complain(here(), "A `use` doesn't end with a `;`.").help_edit("Leave it out.", here(), "", Applies::exact);
    take();
  }
  return tree_.items.add(std::move(item));
}

ast::ItemId Parser::fn_item(Item item, std::uint32_t first, bool is_extern_c) {
  FnItem fn;
  fn.is_extern_c = is_extern_c;
  signature(fn, FnPlace::item);
  fn.body = fn_body();
  item.span = since(first);
  item.node = fn;
  return tree_.items.add(std::move(item));
}

ast::BlockId Parser::fn_body() {
  Scoped<JumpScope> scope(jumps_, JumpScope{});
  if (at(TokenKind::equal) || at(TokenKind::fat_arrow)) {
    fail_expected("the `{` that begins the function's body")
        .help("Write the body in braces; its last expression is the result: `{ a + b }`.");
  }
  if (at(TokenKind::kw_catch) || at_word("where")) {
    fail_expected("the `{` that begins the function's body").help("Write the body there.");
  }
  return block("that begins the function's body");
}

// "{" [ field { "," field } [ "," ] ] "}", of a struct or a variant.
ast::List<ast::FieldDecl> Parser::fields(std::string_view what, bool can_be_pub) {
  std::string role = "that ends the fields of " + std::string(what);
  take();
  Gather<ast::FieldDecl> list(*this, field_decl_stack_);
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) {
    ast::FieldDecl field;
    field.doc = doc_before(at_);
    if (at(TokenKind::kw_pub)) {
      if (!can_be_pub)
        fail(here(), "What a variant holds is as open as its enum, and takes no `pub`.")
            .help_edit("Leave it out.", here(), "", Applies::exact);
      take();
      field.is_pub = true;
    }
    if (at(TokenKind::kw_fn))
      fail(here(), "Methods don't stand among the fields.").help("Declare them in an `impl` block.");
    field.name = name_or_self("the name of a field");
    if (at(TokenKind::comma) || at(TokenKind::r_brace))
      fail(field.name.span.has_text() ? field.name.span : here(), "A field's type is missing.")
          .help("Write it behind the name: `" + std::string(sources_.text(field.name.span)) + ": T`.");
    expect(TokenKind::colon, "between a field's name and its type");
    field.type = type();
    if (at(TokenKind::equal))
      fail(here(), "A field has no default value.")
          .help("Give it in a constructor: `impl Name { pub fn(…) -> Name { … } }`.");
    list.add(field);
    if (at(TokenKind::semicolon))
      fail(here(), "Fields are separated by `,`.").help_edit("Write a `,`.", here(), ",", Applies::exact);
    if (!accept(TokenKind::comma)) break;
  }
  if (!failed_ && !at(TokenKind::r_brace))
    fail_expected("a `,` or the `}` " + role).help("Write a `,` between two fields.");
  take();
  return list.finish();
}

ast::ItemId Parser::struct_item(Item item, std::uint32_t first, bool is_extern_c) {
  take();
  ast::StructItem declared;
  declared.is_extern_c = is_extern_c;
  declared.name = name("the name of a struct");
  declared.generics = generics("a struct");
  if (at(TokenKind::l_paren)) {
    fail(here(), "A struct's fields have names and stand in braces.").help("Write `{ name: T, … }`.");
  } else if (!at(TokenKind::l_brace)) {
    fail_expected("the `{` of the struct's fields").help("Write the fields there; a struct without any is `{}`.");
  } else {
    declared.fields = fields("the struct", true);
  }
  item.span = since(first);
  item.node = declared;
  return tree_.items.add(std::move(item));
}

ast::VariantDecl Parser::variant() {
  ast::VariantDecl variant;
  variant.doc = doc_before(at_);
  if (at(TokenKind::kw_pub))
    fail(here(), "A variant is as open as its enum, and takes no `pub`.")
        .help_edit("Leave it out.", here(), "", Applies::exact);
  variant.name = name("the name of a variant");
  if (at(TokenKind::l_paren)) {
    take();
    variant.kind = ast::VariantKind::positional;
    Gather<TypeExprId> types(*this, type_stack_);
    while (!at(TokenKind::r_paren) && !at(TokenKind::end_of_file)) {
      if (at(TokenKind::name) && peek(1).kind == TokenKind::colon)
        fail(here(), "Parts with names stand in braces.").help("Write `Name { field: T }`.");
      types.add(type());
      if (!accept(TokenKind::comma)) break;
    }
    if (!failed_ && types.empty() && at(TokenKind::r_paren))
      fail(here(), "The brackets of this variant are empty.")
          .help("A variant that holds nothing is written without brackets.");
    expect(TokenKind::r_paren, "that ends the variant's types");
    variant.types = types.finish();
  } else if (at(TokenKind::l_brace)) {
    variant.kind = ast::VariantKind::named;
    Span opening = here();
    variant.fields = fields("the variant", false);
    if (!failed_ && variant.fields.empty())
      fail(opening, "The braces of this variant are empty.")
          .help("A variant that holds nothing is written without braces.");
  } else if (at(TokenKind::equal)) {
    fail(here(), "A variant carries no number of its own.")
        .help("Write a method that gives each variant its number with a `match`.");
  }
  return variant;
}

ast::ItemId Parser::enum_item(Item item, std::uint32_t first) {
  take();
  ast::EnumItem declared;
  declared.name = name("the name of an enum");
  declared.generics = generics("an enum");
  expect(TokenKind::l_brace, "of the enum's variants");
  Gather<ast::VariantDecl> variants(*this, variant_stack_);
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) {
    variants.add(variant());
    if (at(TokenKind::semicolon) || at(TokenKind::pipe))
      fail(here(), "Variants are separated by `,`.").help_edit("Write a `,`.", here(), ",", Applies::exact);
    if (!accept(TokenKind::comma)) break;
  }
  if (!failed_ && !at(TokenKind::r_brace))
    fail_expected("a `,` or the `}` that ends the variants").help("Write a `,` between two variants.");
  if (!failed_ && variants.empty())
    fail(declared.name.span, "An enum has at least one variant.").help("Write its variants between the braces.");
  take();
  declared.variants = variants.finish();
  item.span = since(first);
  item.node = declared;
  return tree_.items.add(std::move(item));
}

ast::ItemId Parser::trait_item(Item item, std::uint32_t first) {
  take();
  ast::TraitItem declared;
  declared.name = name("the name of a trait");
  generics("A trait", false);
  if (at(TokenKind::colon))
    fail(here(), "A trait doesn't build on another.").help("Ask for both where they are needed: `[T: A + B]`.");
  declared.signatures = members(FnPlace::trait, "the trait");
  item.span = since(first);
  item.node = declared;
  return tree_.items.add(std::move(item));
}

// "{" { [ doc ] member } "}"
ast::List<ast::ItemId> Parser::members(FnPlace place, std::string_view what) {
  std::uint32_t opening = at_;
  expect(TokenKind::l_brace, "of " + std::string(what));
  Gather<ItemId> list(*this, item_stack_);
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) {
    std::uint32_t first = at_;
    Item member;
    member.doc = doc_before(first);
    Span pub_span = here();
    member.is_pub = accept(TokenKind::kw_pub);
    if (member.is_pub && place != FnPlace::own_impl)
      fail(pub_span, place == FnPlace::trait ? "A trait's methods are as open as the trait, and take no `pub`."
                                             : "A method of a trait is as open as the trait, and takes no `pub`.")
          .help_edit("Leave it out.", pub_span, "", Applies::exact);
    FnItem fn;
    if (at(TokenKind::kw_extern)) {
      if (!member.is_pub)
        fail(here(), "A method that C calls is `pub extern \"C\" fn`.").help("Write `pub` before it.");
      fn.is_extern_c = true;
      extern_c_string();
    }
    if (at(TokenKind::kw_fn)) {
      signature(fn, place);
      if (place == FnPlace::trait) {
        if (at(TokenKind::l_brace))
          fail(here(), "A trait's methods have no body.")
              .help("Leave the signature alone here, and write the body in each `impl`.");
        fn.signature_span = since(fn.signature_span);
      } else {
        fn.body = fn_body();
      }
    } else if (begins_item(at_) || at(TokenKind::kw_comptime)) {
      find_partners();
      leaves_block_ = has_lone_brace_;
      Builder error = fail(here(), "`" + std::string(text_here()) + "` can't stand inside " + std::string(what) +
                                       (has_lone_brace_ ? "; is a `}` missing before it?" : "."));
      if (has_lone_brace_ && opening < end_) error.label(span_of(tokens_[opening]), "this `{` isn't closed yet");
      missed_a_brace_ = missed_a_brace_ || has_lone_brace_;
      error.help(has_lone_brace_ ? "Close it with a `}`." : "Move it out, to the level of the file.");
    } else {
      fail_expected("a method")
          .help(at(TokenKind::name) ? "A method begins with `fn`; fields stand in the `struct`."
                                    : "A method begins with `fn`.");
    }
    if (failed_) {
      bool leaves = leaves_block_ && begins_item(failed_at_) && tokens_[failed_at_].kind != TokenKind::kw_fn;
      if (leaves && tokens_[failed_at_].kind != TokenKind::kw_pub) break;
      recover_member(first);
      if (failed_) break;
      if (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file) && !begins_member(at_)) {
        // An item of the file: this group of members is not closed.
        if (!missed_a_brace_) continue;
        fail_silently();
        leaves_block_ = true;
        break;
      }
      continue;
    }
    if (at(TokenKind::semicolon)) {
      complain(here(), "A method doesn't end with a `;`.").help_edit("Leave it out.", here(), "", Applies::exact);
      take();
    }
    member.span = since(first);
    member.node = fn;
    list.add(tree_.items.add(std::move(member)));
  }
  if (!accept(TokenKind::r_brace) && !failed_) {
    find_partners();
    if (misses_its_brace(opening)) {
      missed_a_brace_ = true;
      fail(span_of(tokens_[opening]), "This `{` is never closed.").help("Write the missing `}`.");
    } else {
      fail_silently();
    }
  }
  return list.finish();
}

// impl head "{" … "}", or impl path "for" head "{" … "}"
ast::ItemId Parser::impl_item(Item item, std::uint32_t first) {
  take();
  ast::ImplItem declared;
  if (at(TokenKind::l_bracket))
    fail(here(), "An `impl` introduces its type parameters behind the type.").help("Write `impl Name[T]`.");
  declared.type = path("the name of a type");
  std::uint32_t arguments_first = at_;
  declared.args = head_arguments();
  if (at(TokenKind::kw_for)) {
    if (!declared.args.empty())
      fail(span_of(tokens_[arguments_first]), "A trait has no type parameters.").help("Write its name alone.");
    take();
    declared.has_trait = true;
    declared.trait = declared.type;
    declared.type = path("the name of a type");
    declared.args = head_arguments();
  }
  declared.head_span = since(first);
  declared.members = members(declared.has_trait ? FnPlace::trait_impl : FnPlace::own_impl, "the `impl`");
  item.span = since(first);
  item.node = declared;
  return tree_.items.add(std::move(item));
}

// "[" harg { "," harg } "]", a harg being a name with bounds, a type or a number.
ast::List<ast::HeadArg> Parser::head_arguments() {
  if (!at(TokenKind::l_bracket)) return {};
  take();
  Gather<ast::HeadArg> arguments(*this, head_arg_stack_);
  do {
    std::uint32_t first = at_;
    ast::HeadArg argument;
    TokenKind next = peek(1).kind;
    bool is_bare =
        at(TokenKind::name) && (next == TokenKind::comma || next == TokenKind::r_bracket || next == TokenKind::colon);
    if (at(TokenKind::integer)) {
      // The one place where a number is a type is read by the types' parser: wrap it as `[ 3 ]` is.
      ast::TypeExpr length = type_of_kind(ast::TypeExprKind::number, here());
      ExprId number = primary();
      if (const auto* value = std::get_if<ast::IntegerLit>(&tree_.exprs[number].node)) length.number = value->value;
      argument.type = add_type(std::move(length));
    } else if (is_bare) {
      argument.param.name = ident_of(tokens_[first]);
      argument.type = type();
      if (accept(TokenKind::colon)) argument.param.bounds = bounds();
    } else {
      argument.type = type();
    }
    arguments.add(argument);
  } while (accept(TokenKind::comma));
  expect(TokenKind::r_bracket, "that ends the type's arguments");
  return arguments.finish();
}

ast::ItemId Parser::comptime_item(Item item, std::uint32_t first) {
  take();
  if (at(TokenKind::kw_mut))
    fail(here(), "What is worked out while building never changes.").help("Leave the `mut` out.");
  ast::ComptimeItem declared;
  declared.name = name("the name of a constant");
  if (accept(TokenKind::colon)) declared.type = type();
  expect(TokenKind::equal, "before the value");
  Scoped<JumpScope> scope(jumps_, JumpScope{});
  declared.value = expr();
  item.span = since(first);
  item.node = declared;
  if (at(TokenKind::semicolon)) {
    complain(here(), "An item doesn't end with a `;`.").help_edit("Leave it out.", here(), "", Applies::exact);
    take();
  }
  return tree_.items.add(std::move(item));
}

// `let n = comptime e` is another spelling of `comptime n = e`; any other `let` belongs into a
// function.
ast::ItemId Parser::let_as_comptime_item(Item item, std::uint32_t first) {
  take();
  ast::ComptimeItem declared;
  bool is_mut = accept(TokenKind::kw_mut);
  if (at(TokenKind::name)) {
    declared.name = name("the name of a constant");
    if (accept(TokenKind::colon)) declared.type = type();
  }
  bool is_constant =
      !is_mut && declared.name.name.valid() && at(TokenKind::equal) && peek(1).kind == TokenKind::kw_comptime;
  if (!failed_ && !is_constant) {
    std::string name_text(sources_.text(declared.name.span));
    if (name_text.empty()) name_text = "NAME";
    fail(span_of(tokens_[first]), "A `let` can't stand outside of a function.")
        .note("A file has no variables, only values that are worked out while building.")
        .help("Write `comptime " + name_text + " = …`, or move the line into a function.");
  } else {
    take();
    take();
    Scoped<JumpScope> scope(jumps_, JumpScope{});
    declared.value = expr();
  }
  item.span = since(first);
  item.node = declared;
  return tree_.items.add(std::move(item));
}

// `extern "C"`; false, having failed, for any other convention.
bool Parser::extern_c_string() {
  take();
  if (!at(TokenKind::text)) {
    fail_expected("the text `\"C\"`").help("Write `extern \"C\"`.");
    return false;
  }
  if (text_here() != "\"C\"") {
    fail(here(), "The only foreign convention is `\"C\"`.").help_edit("Write `\"C\"`.", here(), "\"C\"");
    return false;
  }
  take();
  return true;
}

ast::ItemId Parser::extern_item(Item item, std::uint32_t first) {
  if (!extern_c_string()) return tree_.items.add(std::move(item));
  if (item.is_pub) {
    if (at(TokenKind::kw_fn)) return fn_item(std::move(item), first, true);
    if (at(TokenKind::kw_struct)) return struct_item(std::move(item), first, true);
    if (at(TokenKind::l_brace))
      fail(span_of(tokens_[first]), "An `extern` block takes no `pub`.")
          .help("Leave it out; other packages call functions of yours that call these.");
    else
      fail_expected("a `fn` or a `struct`").help("Write `pub extern \"C\" fn …`.");
  } else if (!at(TokenKind::l_brace)) {
    if (at(TokenKind::kw_fn) || at(TokenKind::kw_struct))
      fail(span_of(tokens_[first]), "What C may call or hold is `pub`.").help("Write `pub extern \"C\"`.");
    else
      fail_expected("the `{` of the `extern` block").help("Write the declarations there.");
  }
  item.node = ast::ExternItem{opaque_braces("the `extern` block")};
  item.span = since(first);
  return tree_.items.add(std::move(item));
}

// Skips a group of braces; the span lies between them.
Span Parser::opaque_braces(std::string_view what) {
  if (failed_) return here();
  std::uint32_t opening = at_;
  std::uint32_t depth = 0;
  for (std::uint32_t i = opening; i < end_; ++i) {
    if (tokens_[i].kind == TokenKind::l_brace) ++depth;
    if (tokens_[i].kind != TokenKind::r_brace || --depth != 0) continue;
    at_ = i;
    take();
    return Span{file_, tokens_[opening].end, tokens_[i].begin};
  }
  missed_a_brace_ = true;
  if (errors_.has_unclosed()) {
    fail_silently();
    return here();
  }
  fail(here(), "This `{` is never closed.")
      .primary_label(std::string(what) + " begins here")
      .help("Write the missing `}`.");
  return here();
}

ast::ItemId Parser::grammar_item(Item item, std::uint32_t first) {
  take();
  ast::GrammarItem declared;
  declared.name = name("the name of a grammar");
  if (!at(TokenKind::l_brace)) fail_expected("the `{` of the grammar's rules").help("Write the rules there.");
  std::uint32_t opening = at_;
  declared.body = opaque_braces("the grammar");
  if (!failed_) check_grammar(opening + 1, at_ - 1);
  item.span = since(first);
  item.node = declared;
  return tree_.items.add(std::move(item));
}

// test "name" [ "(" parameters ")" ] block; bench "name" block
ast::ItemId Parser::test_item(Item item, std::uint32_t first, bool is_bench) {
  take();
  ast::TestItem test{};
  test.is_bench = is_bench;
  if (at(TokenKind::text)) {
    test.name = text_literal(take());
  } else {
    fail_expected("the name of the test, as a text").help("Write it like `test \"adds up\" { … }`.");
  }
  if (at(TokenKind::l_paren)) {
    if (is_bench) fail(here(), "A `bench` takes no parameters.").help("Make the values in its body.");
    FnItem parameters_only;
    parameters(parameters_only, FnPlace::test);
    if (!failed_ && (!parameters_only.options.empty() || parameters_only.has_spread))
      fail(tree_.list(parameters_only.options).empty() ? here() : tree_.list(parameters_only.options)[0].span,
           "A test has no options.")
          .help("Leave the default out: values for it are made up.");
    test.params = parameters_only.params;
  }
  Scoped<JumpScope> scope(jumps_, JumpScope{});
  test.body = block("that begins the body of the test");
  item.span = since(first);
  item.node = test;
  return tree_.items.add(std::move(item));
}

}  // namespace nikaia::lang::syntax
