// Waits for readiness as poll handles of one libuv loop.
//
// libuv allows one poll handle for each descriptor, while any number of operations may wait for it.
// So a descriptor that is waited for has a watch: the handle, started for what its operations want
// together, and the list of them. A watch lives while somebody waits: libuv checks a descriptor
// when a handle is made, and ends the process over one that went bad behind its back.
#ifndef NIKAIA_BACKENDS_UV_WATCHES_H
#define NIKAIA_BACKENDS_UV_WATCHES_H

#include <uv.h>
#include <vector>

#include "backends/posix/slot.h"

namespace nikaia::backend {

class Watches {
 public:
  // `done` receives what became ready, whenever the loop runs.
  Watches(uv_loop_t& loop, OpList& done) : loop_(loop), done_(done) {}
  // The loop has run until every handle was closed.
  ~Watches();
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

  // Registers `op` (readable or writable), or appends it to `done` where its answer is known.
  void add(Op& op);
  // Takes a registered operation out.
  void remove(Op& op);
  [[nodiscard]] bool empty() const { return live_ == 0; }
  // Drops every registration; the handles close when the loop runs.
  void close_all();

 private:
  struct Watch;

  static void happened(uv_poll_t* handle, int status, int events);
  static void closed(uv_handle_t* handle);
  Watch* make(int fd, int& error);
  void tell(Watch& watch);
  void adjust(Watch& watch);
  void end(Watch& watch);

  uv_loop_t& loop_;
  OpList& done_;
  std::size_t live_ = 0;
  std::vector<Watch*> by_descriptor_;
  std::vector<Watch*> spare_;
};

}  // namespace nikaia::backend

#endif
