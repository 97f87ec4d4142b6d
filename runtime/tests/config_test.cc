// What the configuration reader accepts and what it says about the rest.
#include "runtime/start/config.h"

#include <catch2/catch.hpp>

using nikaia::rt::Configuration;
using nikaia::rt::nearest;
using nikaia::rt::parse_configuration;
using nikaia::rt::render;
using nikaia::rt::StartMessage;

namespace {

Configuration accepted(const std::string& text) {
  auto result = parse_configuration(text, "nikaia-runtime.toml");
  INFO(text);
  if (const auto* message = std::get_if<StartMessage>(&result)) FAIL(render(*message, false));
  return std::get<Configuration>(result);
}

std::string refused(const std::string& text) {
  auto result = parse_configuration(text, "nikaia-runtime.toml");
  INFO(text);
  REQUIRE(std::holds_alternative<StartMessage>(result));
  return render(std::get<StartMessage>(result), false);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The source line and the marks below it.
std::string marked(const std::string& message) {
  const std::size_t start = message.find(" | ") + 3;
  const std::size_t end = message.find('\n', start);
  const std::size_t next = message.find("| ", end) + 2;
  return message.substr(start, end - start) + "\n" + message.substr(next, message.find('\n', next) - next);
}

}  // namespace

TEST_CASE("an empty file states the defaults") {
  const Configuration configuration = accepted("# nothing\n");
  CHECK(configuration.io_workers == 1);
  CHECK(configuration.user_pool == 0);
  CHECK(configuration.io_method == "auto");
  CHECK(configuration.cleanup_deadline == "30s");
  CHECK(configuration.cleanup_deadline_ms == 30'000);
}

TEST_CASE("the four keys are taken at the ends of their ranges") {
  CHECK(accepted("io-workers = 1").io_workers == 1);
  CHECK(accepted("io-workers = 256").io_workers == 256);
  CHECK(accepted("user-pool = 1024").user_pool == 1024);
  CHECK(accepted("io-method = \"third-party-2\"").io_method == "third-party-2");
}

TEST_CASE("deadlines are whole numbers with a unit") {
  const auto ms = [](const std::string& text) {
    return accepted("cleanup-deadline = \"" + text + "\"").cleanup_deadline_ms;
  };
  CHECK(ms("0") == 0);
  CHECK(ms("0ms") == 0);
  CHECK(ms("0h") == 0);
  CHECK(ms("150ms") == 150);
  CHECK(ms("007s") == 7000);
  CHECK(ms("2m") == 120'000);
  CHECK(ms("8760h") == std::int64_t{8760} * 3'600'000);
  for (const char* wrong :
       {"", "30", "30 s", " 30s", "1.5s", "8761h", "31536001s", "-1s", "s", "30S", "30sec", "99999999999999999999h"}) {
    INFO(wrong);
    CHECK(has(refused(std::string("cleanup-deadline = \"") + wrong + "\""), "^"));
  }
}

TEST_CASE("the layout is that of every message") {
  CHECK(refused("io-workers = 2\nuser-pool = 4\nlock-timeout = \"5s\"\n") ==
        "error: `lock-timeout` is none of the runtime's settings.\n"
        "  --> nikaia-runtime.toml:3:1\n"
        "   |\n"
        " 3 | lock-timeout = \"5s\"\n"
        "   | ^^^^^^^^^^^^\n"
        "   |\n"
        "   = help: The settings are `io-workers`, `user-pool`, `io-method` and "
        "`cleanup-deadline`; take this one out.\n");
}

TEST_CASE("a wrong value is underlined as a whole, an unknown key itself") {
  CHECK(marked(refused("io-workers = 0")) == "io-workers = 0\n             ^");
  CHECK(marked(refused("user-pool = 1025")) == "user-pool = 1025\n            ^^^^");
  CHECK(marked(refused("io-method = \"\"")) == "io-method = \"\"\n            ^^");
  CHECK(marked(refused("cleanup-deadline = \"30 s\"")) == "cleanup-deadline = \"30 s\"\n                   ^^^^^^");
  CHECK(marked(refused("io-workers = \"two\"")) == "io-workers = \"two\"\n             ^^^^^");
  CHECK(marked(refused("io-method = \"../x\"")) == "io-method = \"../x\"\n            ^^^^^^");
  CHECK(marked(refused("[pool]\nsize = 1")) == "[pool]\n ^^^^");
  CHECK(marked(refused("io-workrs = 1")) == "io-workrs = 1\n^^^^^^^^^");
  CHECK(has(refused("io-workrs = 1"), "nearest one is `io-workers`"));
}

TEST_CASE("the first wrong thing in the file is the one that is told") {
  CHECK(has(refused("user-pool = -1\nio-workers = 0\nbogus = 1"), ":1:13"));
  CHECK(has(refused("bogus = 1\nio-workers = 0"), "`bogus`"));
}

TEST_CASE("what is not TOML is said with its line") {
  const std::string message = refused("io-workers = 3\nuser-pool 4\n");
  CHECK(has(message, "nikaia-runtime.toml:2:"));
  CHECK(has(message, " 2 | user-pool 4\n"));
  CHECK(has(refused("io-workers = 1\nio-workers = 2"), "toml:2"));
  CHECK(has(refused("a = \"\xff\""), "error: "));
}

TEST_CASE("near names are found, far ones are not") {
  CHECK(nearest("urnig", {"uring", "blocking"}) == "uring");
  CHECK(nearest("zzzzz", {"uring", "blocking"}).empty());
}
