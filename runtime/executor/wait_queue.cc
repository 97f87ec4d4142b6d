// Tasks that wait for the same thing: a list threaded through records on the stacks of the waiting
// tasks, so that waiting allocates nothing and a cancelled task takes itself out at once.
#include <nikaia/rt/channel.h>

#include "runtime/executor/executor.h"

namespace nikaia::rt {

struct Waiting : Wait {
  Task* task = nullptr;
  WaitQueue* queue = nullptr;
  bool was_woken = false;  // rather than abandoned
  Waiting* next = nullptr;
  Waiting* previous = nullptr;
};

namespace {

void take_out(Waiting& waiting) {
  WaitQueue& queue = *waiting.queue;
  (waiting.previous != nullptr ? waiting.previous->next : queue.first) = waiting.next;
  (waiting.next != nullptr ? waiting.next->previous : queue.last) = waiting.previous;
}

void abandon_waiting(Wait& wait, Task& task) {
  take_out(static_cast<Waiting&>(wait));
  make_ready(task);
}

}  // namespace

void WaitQueue::wait() {
  Waiting waiting;
  waiting.abandon = abandon_waiting;
  waiting.task = executor.current;
  waiting.queue = this;
  waiting.previous = last;
  (last != nullptr ? last->next : first) = &waiting;
  last = &waiting;
  pause_to_the_end(waiting);
  if (!cancelled_now()) return;
  if (waiting.was_woken) wake_one();
  unwind();
}

void WaitQueue::wake_one() {
  Waiting* waiting = first;
  if (waiting == nullptr) return;
  take_out(*waiting);
  waiting->was_woken = true;
  make_ready(*waiting->task);
}

void WaitQueue::wake_all() {
  while (first != nullptr) wake_one();
}

}  // namespace nikaia::rt
