// What happens when a supervised subject fails, and the panic hook's `Info` as texts.
#include <cstdio>
#include <string>

#include <nikaia/rt/runtime.h>
#include <nikaia/rt/supervise.h>

#include "runtime/executor/executor.h"

namespace nikaia::rt {
namespace {

struct InfoHook {
  void (*call)(void* data, Info info) = nullptr;
  void* data = nullptr;
};
InfoHook info_hook;

String text_of(const char* bytes, std::size_t count) {
  String text = String::with_room(count);
  text.append(bytes, count);
  return text;
}

void call_info_hook(void*, const PanicInfo& told) {
  const std::string site = std::string(told.at.file) + ":" + std::to_string(told.at.line);
  info_hook.call(info_hook.data, Info{text_of(told.message, told.message_bytes), text_of(site.data(), site.size()),
                                      text_of(told.trace, told.trace_bytes)});
}

}  // namespace

bool subject_failed(const Failure& failure, RestartPolicy policy, At at) {
  if (policy == RestartPolicy::Escalate) {
    const String message = failure.message();
    const std::string reason = "the task it supervises failed: " + std::string(message.data(), message.size());
    panic_at(at, reason.data(), reason.size());
  }
  say_unjoined_failure(*executor.current, failure);
  return policy == RestartPolicy::Always;
}

void set_info_hook(void (*call)(void* data, Info info), void* data) {
  info_hook = {call, data};
  set_panic_hook(call_info_hook, nullptr);
}

}  // namespace nikaia::rt
