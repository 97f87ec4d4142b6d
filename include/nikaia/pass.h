// The interface between the driver and a compiler pass. Built-in passes and third parties' go through it alike.
//
// A plugin is a shared object `nikaia-pass-NAME.so` that exports one function,
//
//     extern "C" const nikaia::PluginDescriptor* nikaia_pass_plugin_v1();
//
// made by the macro NIKAIA_PASS_PLUGIN below. The driver compares the descriptor's ABI tag before it touches
// anything else in it: a plugin is built with the toolchain version, C++ compiler, C++ library and flags the
// driver was built with, or it is refused.
//
// A pass states what it requires and provides; the driver orders passes by that, then by name. Its `run` is
// called once per compilation, on one thread, after everything it requires was provided. It may keep no state
// between calls, print nothing, read no file and not end the process. An exception that leaves `run`, and a
// crash in it, are reported as a failure of the pass, with what it said it was looking at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nikaia/version.h>

namespace nikaia::lang {
struct Compilation;
struct BuildOptions;
class SourceMap;
class Interner;
class TypeTable;
class Sink;
struct Span;
template <class T>
struct FactKey;
}  // namespace nikaia::lang

namespace nikaia {

#define NIKAIA_ABI_STRING_(x) #x
#define NIKAIA_ABI_STRING(x) NIKAIA_ABI_STRING_(x)
#if defined(__clang__)
#define NIKAIA_ABI_COMPILER "clang " NIKAIA_ABI_STRING(__clang_major__)
#else
#define NIKAIA_ABI_COMPILER "gcc " NIKAIA_ABI_STRING(__GNUC__)
#endif
#if defined(__SANITIZE_ADDRESS__)
#define NIKAIA_ABI_FLAGS "asan"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NIKAIA_ABI_FLAGS "asan"
#elif __has_feature(thread_sanitizer)
#define NIKAIA_ABI_FLAGS "tsan"
#else
#define NIKAIA_ABI_FLAGS "plain"
#endif
#else
#define NIKAIA_ABI_FLAGS "plain"
#endif

// "nikaia 0.1.0; gcc 12; libstdc++ 12 cxx11abi 1; plain; pass interface 1"
#define NIKAIA_PASS_ABI_TAG                                                                          \
  "nikaia " NIKAIA_VERSION "; " NIKAIA_ABI_COMPILER "; libstdc++ " NIKAIA_ABI_STRING(                \
      _GLIBCXX_RELEASE) " cxx11abi " NIKAIA_ABI_STRING(_GLIBCXX_USE_CXX11_ABI) "; " NIKAIA_ABI_FLAGS \
                                                                               "; pass interface 1"

enum class PassKind : std::uint8_t {
  analysis,   // reads, provides facts, reports
  transform,  // changes the tree or NIR
  emission,   // writes the result, or a report
};

enum class PassStage : std::uint8_t { tree, nir };

// What a pass sees of a compilation. Good for the duration of `run`; used on the driver's thread only.
class PassContext {
 public:
  virtual const lang::SourceMap& sources() const = 0;
  // Every file's tree; in the order of the files.
  virtual const lang::Compilation& compilation() const = 0;
  virtual const lang::BuildOptions& build_options() const = 0;
  // Names and types are added to by every pass, and never removed.
  virtual lang::Interner& names() = 0;
  virtual lang::TypeTable& types() = 0;
  // Takes findings with codes this pass declared; any other code is a failure of the pass.
  virtual lang::Sink& sink() = 0;

  // A fact among those required. Asking for another is a failure of the pass.
  template <class T>
  const T& require(lang::FactKey<T> key) {
    return *static_cast<const T*>(fact(key.name, Access::read, nullptr, nullptr));
  }
  // The table of a fact this pass provides, empty at the first call, for it to fill.
  template <class T>
  T& provide(lang::FactKey<T> key) {
    return *static_cast<T*>(fact(
        key.name, Access::provide, [] { return static_cast<void*>(new T()); },
        [](void* p) { delete static_cast<T*>(p); }));
  }
  // A required fact that this `transform` pass declared it changes.
  template <class T>
  T& change(lang::FactKey<T> key) {
    return *static_cast<T*>(fact(key.name, Access::change, nullptr, nullptr));
  }

  // The value given for one of the options this pass takes, or its default.
  virtual std::string_view option(std::string_view key) const = 0;

  // Says what the pass is looking at, for the message should it fail. Cheap; call it per function.
  virtual void looking_at(std::string_view function, std::string_view file) = 0;

  // Emission: hands over one file of the result; `name` is relative to where the driver puts results, and
  // the driver writes it. `source` is the shown path of the source it was made from, empty for none.
  // What a report hands over goes to standard output, behind all messages and in the order in which the reports
  // were asked for; its name and source mean nothing.
  virtual void write_result(std::string name, std::string contents, std::string_view source) = 0;

 protected:
  enum class Access : std::uint8_t { read, provide, change };
  virtual void* fact(const char* name, Access access, void* (*make)(), void (*destroy)(void*)) = 0;
  ~PassContext() = default;
};

struct PassOption {
  const char* key;
  const char* fallback;
  const char* purpose;  // one line
};

// A list of names that ends with a null pointer; null for none.
using NameList = const char* const*;

struct Pass {
  const char* name;     // "types"; unique in a pipeline. Of an emission "emit-NAME", which `--emit NAME` selects, or
                        // "report-NAME", which `--NAME` adds: a report runs beside the emission, for `check` too
  const char* purpose;  // one line, shown by `nikaia passes`
  const char* version;
  PassKind kind;
  PassStage stage;
  bool is_optional;
  NameList requires_facts;  // "names@1"
  NameList provides_facts;
  NameList changes_facts;     // of those required; transform only
  NameList codes;             // "NK1102"; every code it may report
  const PassOption* options;  // ends with a null key; null for none
  bool produces_cpp;          // emission: its results are C++ sources for the toolchain; never of a report
  void (*run)(PassContext&);
};

struct PluginDescriptor {
  const char* abi_tag;  // NIKAIA_PASS_ABI_TAG; compared first
  std::size_t pass_count;
  const Pass* passes;
};

using PluginFunction = const PluginDescriptor* (*)();

}  // namespace nikaia

#define NIKAIA_PLUGIN_SYMBOL "nikaia_pass_plugin_v1"

// NIKAIA_PASS_PLUGIN(passes): exports the array `passes` of nikaia::Pass as this shared object's plugin.
#define NIKAIA_PASS_PLUGIN(passes)                                                                              \
  extern "C" __attribute__((visibility("default"))) const nikaia::PluginDescriptor* nikaia_pass_plugin_v1() {   \
    static const nikaia::PluginDescriptor descriptor{NIKAIA_PASS_ABI_TAG, sizeof(passes) / sizeof((passes)[0]), \
                                                     passes};                                                   \
    return &descriptor;                                                                                         \
  }
