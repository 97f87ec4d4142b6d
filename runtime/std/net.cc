// Sockets that do not block: each transfer is tried, and where it would have to wait the task waits
// for readiness.
#include <cerrno>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nikaia/rt/format.h>
#include <nikaia/rt/hash.h>
#include <nikaia/rt/io.h>
#include <nikaia/rt/std_net.h>
#include <nikaia/rt/task.h>

#include "lookup.h"

namespace nikaia {

namespace {

constexpr std::size_t read_bytes = std::size_t{64} * 1024;

// `host:port`, an IPv6 host in brackets.
bool take_apart(Str address, Str& host, Str& port) {
  std::size_t colon = address.size;
  while (colon > 0 && address.data[colon - 1] != ':') {
    --colon;
  }
  if (colon == 0 || colon == address.size) {
    return false;
  }
  host = address.part(0, colon - 1);
  port = address.part(colon, address.size);
  if (host.size >= 2 && host.data[0] == '[' && host.data[host.size - 1] == ']') {
    host = host.part(1, host.size - 1);
  }
  return text_parse<std::uint16_t>(port).has() && !text_starts_with(port, U'+');
}

struct Resolved {
  addrinfo* first = nullptr;
  Resolved() = default;
  Resolved(const Resolved&) = delete;
  Resolved& operator=(const Resolved&) = delete;
  ~Resolved() {
    if (first != nullptr) {
      ::freeaddrinfo(first);
    }
  }
};

// The addresses a name stands for, or the failure.
Result<void> resolve(Str address, bool to_listen, Resolved& found) {
  Str host;
  Str port;
  if (!take_apart(address, host, port)) {
    return io_failure_other(format("`"_s, address, "` is no address; write `host:port`"_s));
  }
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  const fs::SystemPath name(host);
  const fs::SystemPath number(port);
  const int error = ::getaddrinfo(name.c_str(), number.c_str(), &wanted, &found.first);
  if (error != 0) {
    const char* const words = error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error);
    return io_failure_other(format(address, ": "_s, Str(words, std::strlen(words))));
  }
  return {};
}

String text_of_address(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return String::literal("unknown"_s);
  }
  const Str host_text(host, std::strlen(host));
  const Str port_text(port, std::strlen(port));
  String made;
  if (address.ss_family == AF_INET6) {
    made.append("["_s);
    made.append(host_text);
    made.append("]:"_s);
  } else {
    made.append(host_text);
    made.append(":"_s);
  }
  made.append(port_text);
  return made;
}

// Small messages go at once: what is written here is whole.
void send_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<Listener> net_listen(Str address) {
  rt::pause_point();
  Resolved found;
  auto resolved = resolve(address, true, found);
  if (resolved.failed()) {
    return resolved.take_failure();
  }
  int error = 0;
  for (const addrinfo* at = found.first; at != nullptr; at = at->ai_next) {
    Socket socket(::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
    const int on = 1;
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (socket.fd() >= 0 && ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        ::bind(socket.fd(), at->ai_addr, at->ai_addrlen) == 0 && ::listen(socket.fd(), SOMAXCONN) == 0 &&
        ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&bound), &size) == 0) {
      return Listener{static_cast<Socket&&>(socket), text_of_address(bound, size)};
    }
    error = errno;
  }
  return io_failure(error, address);
}

Result<Connection> net_connect(Str address) {
  rt::pause_point();
  Resolved found;
  auto resolved = resolve(address, false, found);
  if (resolved.failed()) {
    return resolved.take_failure();
  }
  int error = 0;
  for (const addrinfo* at = found.first; at != nullptr; at = at->ai_next) {
    Socket socket(::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
    if (socket.fd() < 0) {
      error = errno;
      continue;
    }
    error = ::connect(socket.fd(), at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      const int waited = rt::wait_writable(socket.fd());
      socklen_t size = sizeof error;
      if (waited < 0) {
        error = -waited;
      } else if (::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
        error = errno;
      }
    }
    if (error == 0) {
      send_at_once(socket.fd());
      sockaddr_storage peer{};
      std::memcpy(&peer, at->ai_addr, at->ai_addrlen);
      return Connection{static_cast<Socket&&>(socket), text_of_address(peer, at->ai_addrlen)};
    }
  }
  return io_failure(error, address);
}

Result<Connection> listener_accept(const Listener& listener) {
  rt::pause_point();
  while (true) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    Socket socket(
        ::accept4(listener.socket.fd(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.fd() >= 0) {
      send_at_once(socket.fd());
      return Connection{static_cast<Socket&&>(socket), text_of_address(peer, size)};
    }
    if (errno == EAGAIN) {
      const int waited = rt::wait_readable(listener.socket.fd());
      if (waited < 0) {
        return io_failure(-waited, listener.address);
      }
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return io_failure(errno, listener.address);
    }
  }
}

Result<Bytes> connection_read(Connection& connection, bool trusted) {
  rt::pause_point();
  note_trust(trusted);
  String bytes = String::with_room(read_bytes);
  while (true) {
    const ssize_t read = ::recv(connection.socket.fd(), bytes.reserve(read_bytes), read_bytes, 0);
    if (read >= 0) {
      bytes.grown(static_cast<std::size_t>(read));
      break;
    }
    if (errno == EAGAIN) {
      const int waited = rt::wait_readable(connection.socket.fd());
      if (waited < 0) {
        return io_failure(-waited, connection.peer);
      }
    } else if (errno != EINTR) {
      return io_failure(errno, connection.peer);
    }
  }
  // A small message does not keep the room of a large one.
  if (bytes.size() < read_bytes / 2) {
    String fitting;
    fitting.append(bytes);
    bytes = static_cast<String&&>(fitting);
  }
  hold(bytes.buffer());
  return Bytes(bytes.data(), bytes.size(), bytes.buffer());
}

Result<void> connection_write(Connection& connection, DataRef bytes) {
  rt::pause_point();
  const auto* at = static_cast<const char*>(bytes.data);
  std::size_t left = bytes.size;
  while (left > 0) {
    const ssize_t sent = ::send(connection.socket.fd(), at, left, MSG_NOSIGNAL);
    if (sent >= 0) {
      at += sent;
      left -= static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      const int waited = rt::wait_writable(connection.socket.fd());
      if (waited < 0) {
        return io_failure(-waited, connection.peer);
      }
    } else if (errno != EINTR) {
      return io_failure(errno, connection.peer);
    }
  }
  return {};
}

}  // namespace nikaia
