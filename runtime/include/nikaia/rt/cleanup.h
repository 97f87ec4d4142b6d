// Values whose `Cleanup` can pause and that die by a cancellation: they are parked with the
// runtime, which cleans them up in the background (language 09 §11).
//
// A value is cleaned where it dies by an explicit call, inside a `Shield`. Only where its frame is
// unwound does the destructor find it not yet cleaned:
//
//     ~Diary() {
//       if (alive_ && nikaia::rt::unwinding()) nikaia::rt::park(std::move(*this), "Diary");
//       if (alive_) drop();
//     }
#pragma once

#include <nikaia/rt/task.h>

namespace nikaia::rt {

// False where the deadline has passed: `name` is noted as cut off, and the value is to die by its
// `drop`.
[[nodiscard]] bool may_park(const char* name);
void start_cleanup(Task& task, const char* name);
void say_cleanup_failure(const Task& task, const Failure& failure);

template <class T>
struct Parked final : Task {
  T value;
  explicit Parked(T&& taken) : value(std::move(taken)) {
    this->run = [](Task& task) {
      auto& self = static_cast<Parked&>(task);
      if constexpr (std::is_void_v<decltype(self.value.cleanup())>) {
        self.value.cleanup();
      } else {
        auto outcome = self.value.cleanup();
        if (outcome.failed()) say_cleanup_failure(task, outcome.failure());
      }
      self.has_result = true;
      T dead(std::move(self.value));
    };
    this->abandon_body = [](Task& task) { T dead(std::move(static_cast<Parked&>(task).value)); };
    this->free = [](Task& task) { delete static_cast<Parked*>(&task); };
  }
};

// Moves `value` to the runtime, which calls its `cleanup()` (void or Result<void>) in a task of its
// own. `name` is what a message calls it: the type's name, or what it holds (`the file
// 'report.txt'`); it lives as long as the program.
template <class T>
void park(T&& value, const char* name) {
  static_assert(!std::is_reference_v<T>, "a parked value is moved");
  if (may_park(name)) start_cleanup(*new Parked<T>(static_cast<T&&>(value)), name);
}

}  // namespace nikaia::rt
