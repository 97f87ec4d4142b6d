#include "runtime/timer/timers.h"

#include <ctime>
#include <vector>

namespace nikaia::rt {
namespace {

std::vector<TimerWait*> heap;
std::uint64_t timers_added = 0;

bool sooner(const TimerWait& a, const TimerWait& b) {
  return a.deadline_ns != b.deadline_ns ? a.deadline_ns < b.deadline_ns : a.order < b.order;
}

void put(TimerWait* timer, std::size_t place) {
  heap[place] = timer;
  timer->place = place;
}

void rise(TimerWait* timer, std::size_t place) {
  while (place > 0) {
    const std::size_t above = (place - 1) / 2;
    if (!sooner(*timer, *heap[above])) break;
    put(heap[above], place);
    place = above;
  }
  put(timer, place);
}

void sink(TimerWait* timer, std::size_t place) {
  for (;;) {
    std::size_t below = 2 * place + 1;
    if (below >= heap.size()) break;
    if (below + 1 < heap.size() && sooner(*heap[below + 1], *heap[below])) ++below;
    if (!sooner(*heap[below], *timer)) break;
    put(heap[below], place);
    place = below;
  }
  put(timer, place);
}

void abandon_sleep(Wait& wait, Task& self) {
  remove_timer(static_cast<TimerWait&>(wait));
  make_ready(self);
}

}  // namespace

std::int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void add_timer(TimerWait& timer) {
  timer.order = timers_added++;
  timer.in_heap = true;
  heap.push_back(&timer);
  rise(&timer, heap.size() - 1);
}

void remove_timer(TimerWait& timer) {
  timer.in_heap = false;
  const std::size_t place = timer.place;
  TimerWait* last = heap.back();
  heap.pop_back();
  if (last == &timer) return;
  if (place > 0 && sooner(*last, *heap[(place - 1) / 2])) {
    rise(last, place);
  } else {
    sink(last, place);
  }
}

bool timers_outstanding() {
  return !heap.empty();
}

std::int64_t next_deadline_ns() {
  return heap.empty() ? INT64_MAX : heap.front()->deadline_ns;
}

void fire_timers() {
  if (heap.empty()) return;
  const std::int64_t now = now_ns();
  while (!heap.empty() && heap.front()->deadline_ns <= now) {
    TimerWait& timer = *heap.front();
    remove_timer(timer);
    if (timer.task->wait == &timer) make_ready(*timer.task);  // else something else woke it in this turn
  }
}

}  // namespace nikaia::rt

namespace nikaia {

void time_sleep(std::int64_t nanoseconds) {
  if (nanoseconds <= 0) {
    rt::yield();
    return;
  }
  rt::pause_point();
  rt::TimerWait timer;
  timer.abandon = rt::abandon_sleep;
  timer.task = rt::executor.current;
  if (__builtin_add_overflow(rt::now_ns(), nanoseconds, &timer.deadline_ns)) timer.deadline_ns = INT64_MAX - 1;
  rt::add_timer(timer);
  rt::pause(timer);
}

}  // namespace nikaia
