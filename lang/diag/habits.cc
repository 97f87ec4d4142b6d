// The table of habits. In a help `$` stands for the receiver as the program writes it; a line serves every word that it
// names, and the first line that names a word counts.
#include "lang/diag/habits.h"

namespace nikaia::lang {

namespace {

struct Line {
  Habit where;
  std::string_view words;  // each with a space before and behind
  std::string_view help;
};

// clang-format off
constexpr Line lines[] = {
    {Habit::type, " str string Str text Text ", "Text is a `String`, and a `ref String` where it's only looked at."},
    {Habit::type, " int Int Integer integer long short i16 i8 isize ssize_t int32 int64 i128 ", "Whole numbers are `i32` and `i64`, and `u8`, `u32` and `u64` without a sign."},
    {Habit::type, " usize size_t uint u16 unsigned u128 uint8 uint32 uint64 ", "Whole numbers without a sign are `u8`, `u32` and `u64`; lengths and positions are `i64`."},
    {Habit::type, " byte Byte ", "A byte is a `u8`."},
    {Habit::type, " float Float double Double f32 number Number float64 ", "A number with a fraction is an `f64`."},
    {Habit::type, " boolean Boolean Bool ", "True or false is a `bool`."},
    {Habit::type, " Char rune Rune ", "One character is a `char`."},
    {Habit::type, " Option Optional Maybe Nullable ", "What may be absent is written with a `?`, such as `i64?`."},
    {Habit::type, " Result Either Expected ", "A function that can fail says `throws` behind its result: `fn f() -> i64 throws`."},
    {Habit::type, " Box unique_ptr Unique ", "A type may contain itself as it stands: leave the wrapper out."},
    {Habit::type, " Rc Arc shared_ptr ", "A value with several owners is a `Shared[T]`, and a `SharedMut[T]` where they change it."},
    {Habit::type, " Mutex RwLock Cell RefCell Atomic ", "What several owners change is a `SharedMut[T]`; a `Locked[T]` is one owner's that others may change."},
    {Habit::type, " List ArrayList vector Vector Slice slice list ", "A list is a `Vec[T]`."},
    {Habit::type, " Map Dict dict Dictionary map Hashmap ", "A map is a `collections::HashMap[K, V]`, with `use std::collections` at the top."},
    {Habit::type, " Set set ", "A set is a `collections::HashSet[T]`, with `use std::collections` at the top."},
    {Habit::type, " void Void unit Unit None ", "A function that gives nothing says nothing: leave the `->` out."},
    {Habit::type, " any Any dyn object Object var auto ", "Any type with certain methods is a type parameter: `fn f[T: Trait](value: T)`."},
    {Habit::type, " Future Promise Task Awaitable ", "A call that waits gives its value itself. A task that runs beside is what `spawn` gives."},

    {Habit::value, " None nil undefined nullptr NULL Null Nil ", "What is absent is `null`."},
    {Habit::value, " True TRUE ", "Write `true`."},
    {Habit::value, " False FALSE ", "Write `false`."},
    {Habit::value, " and ", "Write `&&`."},
    {Habit::value, " or ", "Write `||`."},
    {Habit::value, " not ", "Write `!`."},
    {Habit::value, " new ", "A value is made without a word: `Point { x: 1 }`, or the constructor's call."},
    {Habit::value, " this ", "The receiver is called `self`, and the function lists it first."},
    {Habit::value, " var val ", "A name is bound with `let`, and with `let mut` where it changes."},
    {Habit::value, " await ", "A call waits by itself: leave `await` out."},
    {Habit::value, " async go ", "A task that runs beside is started with `spawn fn { … }`."},
    {Habit::value, " loop ", "Write `while true { … }` and leave it with `break`."},
    {Habit::value, " const ", "Write `comptime NAME: … = …` for a value worked out while building, or `let` for one worked out here."},
    {Habit::value, " macro quote ", "The language has nothing that writes code: write a function, a `comptime`, or a grammar for a notation of your own."},
    {Habit::value, " delete free ", "A value dies where its owner's block ends: leave the word out."},
    {Habit::value, " pass ", "An empty block is `{}`."},
    {Habit::value, " elif elsif elseif ", "Write `else if`."},
    {Habit::value, " switch case ", "Write `match value { pattern => … }`."},
    {Habit::value, " try except finally rescue ", "A failure is guarded behind the expression: `value catch { … }`."},
    {Habit::value, " raise ", "Write `throw`."},
    {Habit::value, " unless ", "Write `if !condition { … }`."},
    {Habit::value, " lambda ", "Write `fn(x) { … }`."},

    {Habit::call, " Some Just Ok ", "A value stands for itself, also where it may be absent or where the function can fail: leave `Some` and `Ok` out."},
    {Habit::call, " Err ", "Write `throw` and the error."},
    {Habit::call, " Box Rc Arc move ", "Leave it out: a type may contain itself, and handing on needs no word. `Shared(…)` makes a value with several owners."},
    {Habit::call, " len size length sizeof count ", "A length is asked of the value: `x.len()`."},
    {Habit::call, " printf puts echo writeln print_line console log fprintf ", "Write `println(f\"… {value}\")`."},
    {Habit::call, " eprintf perror ", "Write `eprintln(f\"… {value}\")`."},
    {Habit::call, " format sprintf str String to_string repr ", "Write `f\"{value}\"`."},
    {Habit::call, " input readline gets getline scanf ", "The lines of standard input are `io::lines()`, with `use std::io` at the top."},
    {Habit::call, " range xrange ", "Write `0..<n`."},
    {Habit::call, " int float long double Number parseInt parseFloat atoi ", "A number becomes another with `as`, as in `n as f64`; text becomes one with `t.parse()`, which gives `null` where it's none."},
    {Habit::call, " raise ", "Write `throw`."},
    {Habit::call, " sleep ", "Write `time::sleep(10.millis())`, with `use std::time` at the top."},
    {Habit::call, " open read_file readFile ", "Files are in `std::fs`: `fs::read_to_string(name, fs::Root::Anywhere)`."},
    {Habit::call, " abs min max sqrt pow floor ceil round ", "It's asked of the number, as in `x.abs()`."},

    {Habit::any, " await ", "A call waits by itself: leave `.await` out."},
    {Habit::any, " unwrap expect unwrap_or unwrap_or_else unwrap_or_default ", "The value is there already: leave it out. A failure passes on by itself, or is guarded with `catch { … }`."},
    {Habit::any, " ok err is_ok is_err map_err ", "A failure is guarded behind the call: `value catch { … }`."},
    {Habit::any, " toString to_s str ", "Write `f\"{$}\"`."},
    {Habit::any, " as_ref as_mut borrow borrow_mut deref as_deref get_mut to_ref ", "Leave it out: a value is lent where it's only looked at."},
    {Habit::any, " into from ", "Write the conversion you mean; nothing converts by itself."},
    {Habit::any, " to_owned copied cloned dup ", "Write `$.clone()`."},
    {Habit::any, " lock read write ", "What several owners change is a `SharedMut[T]`, opened by `.access` and `.update`."},

    {Habit::maybe, " unwrap expect value get ", "Say what counts when there is none: `$ ?? …`, a jump such as `return` too."},
    {Habit::maybe, " unwrap_or unwrap_or_else unwrap_or_default or or_else value_or orElse getOrElse ", "Write `$ ?? …`."},
    {Habit::maybe, " is_some has_value isPresent is_present ", "Write `$ != null`."},
    {Habit::maybe, " is_none isEmpty is_null ", "Write `$ == null`."},

    {Habit::number, " to_int to_i32 to_i64 to_u8 to_u32 to_u64 to_f64 to_float as_f64 as_i64 toInt toFloat ", "Write `$ as f64`, with the type you want."},
    {Habit::number, " to_string toFixed ", "Write `f\"{$}\"`; `f\"{$:.2}\"` has two digits behind the point."},

    {Habit::text, " length size count ", "Write `$.len()`, which counts bytes; `$.chars().count()` counts characters."},
    {Habit::text, " substring substr slice sub ", "Write `$[a..<b]`; positions count bytes."},
    {Habit::text, " as_str c_str as_bytes_ref ", "Leave it out: text is lent where it's only looked at."},
    {Habit::text, " as_bytes to_bytes getBytes encode ", "Write `$.bytes()`."},
    {Habit::text, " to_int to_i32 to_i64 to_u32 to_u64 to_f64 to_float toInt parse_int parse_i64 parse_f64 parse_float parseInt int float ", "Write `$.parse()`, which gives `null` where the text is no number, and say the type: `let n: i64? = $.parse()`."},
    {Habit::text, " char_at charAt at get ", "Write `$.chars().nth(n)`, which walks there from the beginning."},
    {Habit::text, " upper toUpper ", "Write `$.to_uppercase()`."},
    {Habit::text, " lower toLower ", "Write `$.to_lowercase()`."},
    {Habit::text, " strip ", "Write `$.trim()`."},
    {Habit::text, " append concat add ", "Write `$.push_str(…)`, or `f\"{$}…\"` for a new text."},
    {Habit::text, " indexOf index_of index position ", "Write `$.find(…)`, which gives `null` where there is none."},
    {Habit::text, " includes has ", "Write `$.contains(…)`."},
    {Habit::text, " format ", "Write `f\"…{value}…\"`."},

    {Habit::list, " get at elementAt nth ", "Write `$[i]`. A position that isn't there stops the program, so compare it with `$.len()` first where that may be."},
    {Habit::list, " length size count ", "Write `$.len()`."},
    {Habit::list, " append add push_back addLast ", "Write `$.push(…)`."},
    {Habit::list, " first front head peek ", "Write `$[0]`, where `$.len()` says that there is one."},
    {Habit::list, " last back tail top ", "Write `$[$.len() - 1]`, where `$.len()` says that there is one."},
    {Habit::list, " pop_back removeLast ", "Write `$.pop()`."},
    {Habit::list, " reverse reversed ", "Write `$.iter().rev()`, which walks it from its end."},
    {Habit::list, " into_iter to_iter ", "Write `$.drain()` to take the elements out, `$.iter()` to look at them."},
    {Habit::list, " indexOf index_of index position ", "Walk it with `$.iter().enumerate()`."},
    {Habit::list, " includes has ", "Write `$.contains(…)`."},
    {Habit::list, " forEach each ", "Write `for x in $ { … }`."},
    {Habit::list, " concat extend_from_slice addAll ", "Write `$.extend(…)`."},

    {Habit::map, " has contains containsKey hasKey exists ", "Write `$.contains_key(…)`."},
    {Habit::map, " put add set ", "Write `$[key] = value`."},
    {Habit::map, " get_or_default getOrDefault get_or setdefault ", "Write `$[key] ?? …`."},
    {Habit::map, " items iter entries iteritems iter_mut ", "Walk it as it is: `for (key, value) in $ { … }`."},
    {Habit::map, " length size count ", "Write `$.len()`."},
    {Habit::map, " delete erase del ", "Write `$.remove(…)`."},
};
// clang-format on

bool names(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    if (words[at - 1] == ' ' && words[at + word.size()] == ' ') return true;
  }
  return false;
}

}  // namespace

std::string habit_help(Habit where, std::string_view word, std::string_view of) {
  if (word.empty() || word.find(' ') != std::string_view::npos) return {};
  for (const Line& line : lines) {
    if (line.where != where || !names(line.words, word)) continue;
    std::string help;
    for (char c : line.help) c == '$' ? help += of : help += c;
    return help;
  }
  return {};
}

}  // namespace nikaia::lang
