// Spans of time: arithmetic in 128-bit nanoseconds, and the text form of 07 §19.3.
#include <nikaia/rt/duration.h>
#include <nikaia/rt/task.h>

namespace nikaia {

namespace {

__extension__ using Nanoseconds = unsigned __int128;
constexpr std::uint64_t second_ns = 1'000'000'000;

constexpr Nanoseconds nanoseconds_of(const Duration& span) {
  return static_cast<Nanoseconds>(span.seconds) * second_ns + span.nanoseconds;
}
constexpr Duration longest{~std::uint64_t{0}, static_cast<std::uint32_t>(second_ns - 1)};

bool fits(Nanoseconds all) {
  return all <= nanoseconds_of(longest);
}
Duration span_of_nanoseconds(Nanoseconds all) {
  return Duration{static_cast<std::uint64_t>(all / second_ns), static_cast<std::uint32_t>(all % second_ns)};
}

}  // namespace

Duration span_of(std::int64_t count, std::uint64_t unit_ns) {
  if (count <= 0) {
    return Duration{};
  }
  const Nanoseconds all = static_cast<Nanoseconds>(count) * unit_ns;
  return fits(all) ? span_of_nanoseconds(all) : longest;
}

std::int64_t whole_units(const Duration& span, std::uint64_t unit_ns) {
  const Nanoseconds units = nanoseconds_of(span) / unit_ns;
  constexpr auto most = static_cast<std::uint64_t>(greatest<std::int64_t>);
  return units > most ? greatest<std::int64_t> : static_cast<std::int64_t>(units);
}

Duration add(Duration a, Duration b, At at) {
  const Nanoseconds sum = nanoseconds_of(a) + nanoseconds_of(b);
  if (!fits(sum)) {
    stop_overflow(at, "addition", "Duration");
  }
  return span_of_nanoseconds(sum);
}
Duration sub(Duration a, Duration b, At at) {
  if (a < b) {
    stop_overflow(at, "subtraction", "Duration");
  }
  return span_of_nanoseconds(nanoseconds_of(a) - nanoseconds_of(b));
}
Duration span_times(Duration span, bool negative, std::uint64_t n, At at) {
  const Nanoseconds all = nanoseconds_of(span);
  // A product that passes 128 bits passes the type too.
  Nanoseconds product;
  if (negative || __builtin_mul_overflow(all, static_cast<Nanoseconds>(n), &product) || !fits(product)) {
    stop_overflow(at, "multiplication", "Duration");
  }
  return span_of_nanoseconds(product);
}
Duration span_over(Duration span, bool negative, std::uint64_t n, At at) {
  if (negative) {
    stop_overflow(at, "division", "Duration");
  }
  if (n == 0) {
    stop_division(at);
  }
  return span_of_nanoseconds(nanoseconds_of(span) / n);
}

void Duration::show(String& out) const {
  struct Unit {
    std::uint64_t ns;
    Str name;
    std::uint32_t decimals;
  };
  constexpr Unit units[] = {{second_ns, "s"_s, 9}, {1'000'000, "ms"_s, 6}, {1'000, "us"_s, 3}, {1, "ns"_s, 0}};
  const Nanoseconds all = nanoseconds_of(*this);
  if (all == 0) {
    out.append("0s"_s);
    return;
  }
  for (const Unit& unit : units) {
    if (all < unit.ns) {
      continue;
    }
    show_u64(out, static_cast<std::uint64_t>(all / unit.ns));
    auto rest = static_cast<std::uint64_t>(all % unit.ns);
    if (rest != 0) {
      std::uint32_t digits = unit.decimals;
      while (rest % 10 == 0) {
        rest /= 10;
        --digits;
      }
      Spec zeros;
      zeros.zero = true;
      zeros.width = digits;
      out.append_byte('.');
      show_spec_u64(out, rest, zeros);
    }
    out.append(unit.name);
    return;
  }
}

void time_sleep(Duration span) {
  const Nanoseconds all = nanoseconds_of(span);
  constexpr auto most = static_cast<std::uint64_t>(greatest<std::int64_t>);
  time_sleep(all > most ? greatest<std::int64_t> : static_cast<std::int64_t>(all));
}

}  // namespace nikaia
