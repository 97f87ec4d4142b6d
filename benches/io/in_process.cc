// The pairs of pairs.nika in turn inside one process, a few at a time: `in_process CHUNKS PAIRS FILE FILE`. Prints a
// line a way: the lowest tenth of its chunks, nanoseconds of the thread's own time a pair. Compiled with the emitted
// program, whose functions it calls.
#define main emitted_main
#include "pairs.main.cc"
#undef main

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Way {
  const char* name;
  nikaia::Result<std::int64_t> (*read)(nikaia::Str, nikaia::Str);
  std::vector<double> pair_ns;
};

nikaia::Result<void> bench() {
  nikaia::Args args = nikaia::cli_args(true);
  const auto word = [&](std::int64_t at) { return nikaia::args_nth(args, at).or_else(nikaia::String()); };
  const nikaia::String chunks = word(1), pairs = word(2), a = word(3), b = word(4);
  const std::int64_t count = nikaia::text_parse_i64(chunks).or_else(0),
                     pairs_a_chunk = nikaia::text_parse_i64(pairs).or_else(1);
  Way ways[] = {{"sequence", nk_pairs::in_sequence, {}},
                {"overlap", nk_pairs::overlapped, {}},
                {"tasks", nk_pairs::by_tasks, {}}};
  for (std::int64_t chunk = 0; chunk < count; ++chunk) {
    for (Way& way : ways) {
      const double begin_ns = now_ns();
      for (std::int64_t i = 0; i < pairs_a_chunk; ++i) {
        auto read = way.read(a, b);
        if (read.failed()) return read.take_failure();
      }
      way.pair_ns.push_back((now_ns() - begin_ns) / static_cast<double>(pairs_a_chunk));
    }
  }
  for (Way& way : ways) {
    std::sort(way.pair_ns.begin(), way.pair_ns.end());
    std::printf("%s %.0f\n", way.name, way.pair_ns[way.pair_ns.size() / 10]);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  return nikaia::rt::run(argc, argv, {.concurrent = false, .main_file = "in_process.cc", .main_line = 1}, &bench);
}
