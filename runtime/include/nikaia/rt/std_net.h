// std::net (language 07 §14.1). Everything that waits gives its thread up.
#pragma once

#include <nikaia/rt/bytes.h>
#include <nikaia/rt/fn.h>
#include <nikaia/rt/path.h>
#include <nikaia/rt/task.h>

namespace nikaia {

// A socket that is closed where its owner dies.
class Socket {
 public:
  constexpr Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Listener {
  Socket socket;
  String address;  // what is bound, the real port in it
};
struct Connection {
  Socket socket;
  String peer;
};

Result<Listener> net_listen(Str address);
Result<Connection> net_connect(Str address);
Result<Connection> listener_accept(const Listener& listener);
inline String listener_address(const Listener& listener) {
  return clone(listener.address);
}
// At least one byte; none once the peer has closed.
Result<Bytes> connection_read(Connection& connection, bool trusted = false);
Result<void> connection_write(Connection& connection, DataRef bytes);
inline String connection_peer(const Connection& connection) {
  return clone(connection.peer);
}
inline void connection_close(Connection) {}

// Listens, and runs `handler` in a task of its own for each connection, which is closed where the handler is done with
// it. A handler that fails ends its own connection, and is told of like a task nobody joined. Returns where listening
// or accepting fails; handlers that run by then go on.
template <class F>
Result<void> net_serve(Str address, F handler, At at = At::here()) {
  auto listening = net_listen(address);
  if (listening.failed()) {
    return listening.take_failure();
  }
  const Listener listener = listening.take();
  const Fn<Result<void>(Connection)> kept(static_cast<F&&>(handler));
  while (true) {
    auto accepted = listener_accept(listener);
    if (accepted.failed()) {
      return accepted.take_failure();
    }
    spawn([handler = kept, connection = accepted.take()]() mutable { return handler(std::move(connection)); }, at);
  }
}

}  // namespace nikaia
