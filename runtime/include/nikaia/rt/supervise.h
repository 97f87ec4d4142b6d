// Supervision, and the panic hook as programs write it (language 04 §11, §2.4).
#pragma once

#include <nikaia/rt/result.h>
#include <nikaia/rt/task.h>
#include <nikaia/rt/text.h>

namespace nikaia {

enum class RestartPolicy { Always, Escalate, Ignore };

namespace rt {
// The subject has failed: says so, and answers whether it is started again. `Escalate` stops the
// program at the place that started it.
[[nodiscard]] bool subject_failed(const Failure& failure, RestartPolicy policy, At at);
}  // namespace rt

// Runs `subject` as a task of its own and reacts by `policy` when it fails. Does not pause.
template <class F>
void supervisor_start_link(F subject, RestartPolicy policy = RestartPolicy::Always, At at = At::here()) {
  spawn(
      [subject = std::move(subject), policy, at]() mutable {
        if constexpr (is_result<std::invoke_result_t<F&>>) {
          for (;;) {
            auto outcome = subject();
            if (!outcome.failed() || !rt::subject_failed(outcome.failure(), policy, at)) return;
            time_sleep(0);  // a subject that fails at once does not keep the others from running
          }
        } else {
          subject();
        }
      },
      at);
}

namespace panic_hook {
// `panic::Info`
struct Info {
  String message;
  String site;
  String trace;
};
}  // namespace panic_hook
using panic_hook::Info;

namespace rt {
// `call(data, info)` on every panic; `data` is never freed.
void set_info_hook(void (*call)(void* data, Info info), void* data);
}  // namespace rt

template <class F>
void panic_on_panic(F hook) {
  auto* kept = new F(std::move(hook));
  rt::set_info_hook([](void* data, Info info) { (*static_cast<F*>(data))(std::move(info)); }, kept);
}

}  // namespace nikaia
