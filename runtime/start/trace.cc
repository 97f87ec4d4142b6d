// The frames of the running task as text, for the panic hook. The names are those of the dynamic
// symbol table; a frame without one is given by its file and offset, from which a debugger finds
// the line.
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <unwind.h>

#include "runtime/start/panic.h"

namespace nikaia::rt {
namespace {

char text[8192];

struct Frames {
  std::size_t bytes = 0;
  int skipped = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) {
  constexpr int own_frames = 2;
  auto& frames = *static_cast<Frames*>(data);
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
  if (address == 0) return _URC_END_OF_STACK;
  if (frames.skipped < own_frames) {
    ++frames.skipped;
    return _URC_NO_REASON;
  }
  Dl_info info{};
  const bool known = ::dladdr(reinterpret_cast<void*>(address), &info) != 0;
  const std::size_t room = sizeof(text) - frames.bytes;
  const int length = std::snprintf(
      text + frames.bytes, room, "%s+0x%zx%s%s\n", known && info.dli_fname != nullptr ? info.dli_fname : "?",
      known ? address - reinterpret_cast<std::uintptr_t>(info.dli_fbase) : address,
      known && info.dli_sname != nullptr ? " " : "", known && info.dli_sname != nullptr ? info.dli_sname : "");
  if (length < 0 || static_cast<std::size_t>(length) >= room) return _URC_END_OF_STACK;
  frames.bytes += static_cast<std::size_t>(length);
  return _URC_NO_REASON;
}

}  // namespace

Trace capture_trace_text() {
  Frames frames;
  _Unwind_Backtrace(add_frame, &frames);
  return {text, frames.bytes};
}

}  // namespace nikaia::rt
