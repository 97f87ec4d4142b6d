// The rows of tasks (language 07 §10) over rt::spawn's handles.
#pragma once

#include <nikaia/rt/task.h>

namespace nikaia {

template <class T>
NIKAIA_INLINE T task_join(TaskHandle<T> handle) {
  return handle.join();
}
template <class T>
NIKAIA_INLINE void task_cancel(TaskHandle<T> handle) {
  handle.cancel();
}

}  // namespace nikaia
