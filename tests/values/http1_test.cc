// Requests' heads, and sockets within one program: 07 §14.
#include <catch2/catch.hpp>

#include "tests/values/values.h"

using namespace values;

namespace {

Buffer request(Str bytes) {
  Buffer buffer;
  buffer_take(buffer, bytes);
  return buffer;
}
std::string refusal(Str bytes) {
  auto head = buffer_head(request(bytes));
  return head.failed() ? plain(head.failure().message()) : "";
}

}  // namespace

TEST_CASE("the end of a head") {
  CHECK(buffer_head_end(request("GET / HTTP/1.1\r\nHost: a\r\n"_s), 100).take() == 0);
  CHECK(buffer_head_end(request("GET / HTTP/1.1\r\n\r\nbody"_s), 100).take() == 18);
  CHECK(buffer_head_end(request("GET / HTTP/1.1\n\nbody"_s), 100).take() == 16);
  CHECK(plain(buffer_head_end(request("GET / HTTP/1.1\r\nHost: a\r\n"_s), 10).failure().message()).substr(0, 4) ==
        "431 ");
}

TEST_CASE("what a head says") {
  const Buffer buffer = request(
      "POST /a/b?debug&x=1&x=2 HTTP/1.1\r\nHost: here\r\nX-Two:  \t one two \r\ncontent-length: 5\r\nConnection: x, Close\r\n\r\nhello"_s);
  const Head head = buffer_head(buffer).take();
  CHECK(plain(head_method(head)) == "POST");
  CHECK(plain(head_path(head)) == "/a/b");
  CHECK(plain(head_target(head)) == "/a/b?debug&x=1&x=2");
  CHECK(head_query(head, "x"_s) == Maybe<Str>("1"_s));
  CHECK(head_query(head, "debug"_s) == Maybe<Str>(""_s));
  CHECK_FALSE(head_query(head, "y"_s).has());
  CHECK(head_header(head, "x-two"_s) == Maybe<Str>("one two"_s));
  CHECK_FALSE(head_header(head, "x"_s).has());
  CHECK(head_headers(head) == 4);
  CHECK(head_length(head) == 5);
  CHECK_FALSE(head_keep_alive(head));
  CHECK(plain(buffer_text_from(buffer, head_size(head)).take()) == "hello");
  CHECK(plain(buffer_text_from(buffer, 1000).take()) == "");
}

TEST_CASE("heads that are refused") {
  for (const Str bytes :
       {"GET /\r\n\r\n"_s, "GET  / HTTP/1.1\r\n\r\n"_s, "GET / HTTP/2\r\n\r\n"_s, "PUT / HTTP/1.1\r\n\r\n"_s,
        "\r\n\r\n"_s, "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"_s,
        "GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n"_s,
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"_s,
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"_s, "GET / HTTP/1.1\r\n folded: x\r\n\r\n"_s,
        "GET / HTTP/1.1\r\nname : x\r\n\r\n"_s, "GET / HTTP/1.1\r\nnone\r\n\r\n"_s, "GET /\xFF HTTP/1.1\r\n\r\n"_s}) {
    CHECK(refusal(bytes).substr(0, 4) == "400 ");
  }
  CHECK(refusal("GET / HTTP/1.0\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"_s) == "");
}

TEST_CASE("two ends of a connection") {
  CHECK(program_output([] {
          const Listener listener = net_listen("127.0.0.1:0"_s).take();
          println(text_starts_with(listener_address(listener), "127.0.0.1:"_s));
          auto client = spawn([address = listener_address(listener)]() -> Result<String> {
            auto connected = net_connect(address);
            if (connected.failed()) {
              return connected.take_failure();
            }
            Connection connection = connected.take();
            (void)connection_write(connection, "ping"_s);
            String all;
            while (true) {
              auto read = connection_read(connection);
              if (read.failed()) {
                return read.take_failure();
              }
              if (bytes_is_empty(read.value())) {
                return all;
              }
              all.append(read.value().unchecked());
            }
          });
          Connection connection = listener_accept(listener).take();
          println(connection_read(connection).take());
          // More than the sockets hold at once.
          (void)connection_write(connection, text_repeat("x"_s, 3000000));
          connection_close(static_cast<Connection&&>(connection));
          println(client.join().take().size());
          println(net_connect("127.0.0.1:1"_s).failure().message());
          println(net_connect("nowhere"_s).failure().message());
        }) == "true\nping\n3000000\nConnection refused\n`nowhere` is no address; write `host:port`\n");
}
