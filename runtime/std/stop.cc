// The words of every stop (language 04 §2.3), and the counted buffers' cold halves. The panic
// itself (hook, line, end of the process) is nikaia::rt::panic_at.
#include <nikaia/rt/base.h>
#include <nikaia/rt/box.h>
#include <nikaia/rt/format.h>
#include <nikaia/rt/runtime.h>
#include <nikaia/rt/text.h>

namespace nikaia {

bool counts_are_atomic = false;

void release_buffer(CountedBuffer* buffer) {
  if (buffer->release == nullptr) {
    std::free(buffer);
  } else {
    buffer->release(buffer);
  }
}

void* take_memory(std::size_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr && bytes != 0) {
    rt::end_out_of_memory("a value");
  }
  return memory;
}

void* retake_memory(void* old, std::size_t bytes) {
  void* memory = std::realloc(old, bytes);
  if (memory == nullptr) {
    rt::end_out_of_memory("a value that grows");
  }
  return memory;
}

// A box whose value is being freed on this thread collects the boxes inside it.
namespace {
struct WaitingBox {
  void* box;
  void (*free)(void*);
};
struct WaitingBoxes {
  static constexpr std::size_t near_count = 32;
  WaitingBox near[near_count];
  WaitingBox* all = near;
  std::size_t count = 0, room = near_count;
  bool is_freeing = false;
};
thread_local WaitingBoxes waiting_boxes;

void grow(WaitingBoxes& w) {
  const std::size_t bytes = w.room * sizeof(WaitingBox);
  void* const old = w.all == w.near ? nullptr : w.all;
  auto* const made = static_cast<WaitingBox*>(retake_memory(old, bytes * 2));
  if (old == nullptr) {
    std::memcpy(made, w.near, bytes);
  }
  w.all = made;
  w.room *= 2;
}
}  // namespace

void free_box(void* box, void (*free)(void*)) {
  WaitingBoxes& w = waiting_boxes;
  if (w.is_freeing) {
    if (w.count == w.room) {
      grow(w);
    }
    w.all[w.count++] = WaitingBox{box, free};
    return;
  }
  w.is_freeing = true;
  free(box);
  while (w.count != 0) {
    const WaitingBox next = w.all[--w.count];
    next.free(next.box);
  }
  if (w.all != w.near) {
    std::free(w.all);
    w.all = w.near;
    w.room = WaitingBoxes::near_count;
  }
  w.is_freeing = false;
}

void stop(At at, Str reason) {
  rt::panic_at(at, reason.data, reason.size);
}

void stop_overflow(At at, const char* operation, const char* type) {
  stop(at, format(Str(operation, std::strlen(operation)), " overflowed "_s, Str(type, std::strlen(type))));
}
void stop_division(At at) {
  stop(at, "division by zero"_s);
}
void stop_index(At at, std::int64_t index, std::size_t length) {
  stop(at, format("index "_s, index, " is outside a list of "_s, static_cast<std::uint64_t>(length)));
}
void stop_index_unsigned(At at, std::uint64_t index, std::size_t length) {
  stop(at, format("index "_s, index, " is outside a list of "_s, static_cast<std::uint64_t>(length)));
}
void stop_range(At at, std::int64_t from, std::int64_t to, bool inclusive, std::size_t length) {
  // The bound that lies outside.
  const bool start = from < 0 || static_cast<std::uint64_t>(from) > length;
  const std::int64_t index = start ? from : to;
  (void)inclusive;
  stop(at, format("index "_s, index, " is outside a list of "_s, static_cast<std::uint64_t>(length)));
}
void stop_text_range(At at, std::int64_t from, std::int64_t to, bool inclusive, Str text) {
  const auto size = static_cast<std::int64_t>(text.size);
  const std::int64_t end = inclusive ? to + 1 : to;
  for (const std::int64_t bound : {from, end}) {
    if (bound < 0 || bound > size) {
      stop(at, format("position "_s, bound, " is outside a text of "_s, size, " bytes"_s));
    }
  }
  const bool start = from < size && (static_cast<unsigned char>(text.data[from]) & 0xC0) == 0x80;
  stop(at, format("position "_s, start ? from : end, " is inside a character"_s));
}
void stop_claim(At at, Str message, Str claim, Str parts) {
  String reason;
  reason.append("assertion does not hold"_s);
  if (message.size != 0) {
    reason.append(": "_s);
    reason.append(message);
  }
  for (const Str more : {claim, parts}) {
    if (more.size != 0) {
      reason.append("\n    "_s);
      reason.append(more);
    }
  }
  stop(at, reason);
}
void stop_count(At at, std::int64_t count) {
  stop(at, format("a count was negative: "_s, count));
}
void stop_count_zero(At at) {
  stop(at, "a count was zero where one is needed"_s);
}
void stop_fit(At at, std::int64_t value, const char* type) {
  stop(at, format(value, " does not fit "_s, Str(type, std::strlen(type))));
}
void stop_fit_unsigned(At at, std::uint64_t value, const char* type) {
  stop(at, format(value, " does not fit "_s, Str(type, std::strlen(type))));
}
void stop_fit_float(At at, double value, const char* type) {
  stop(at, format(value, " does not fit "_s, Str(type, std::strlen(type))));
}

}  // namespace nikaia
