// Sequences (language 07 §4.4): what a `for` walks and what the lazy rows make.
//
// A sequence is any type with
//   using Item;                      what a step hands out
//   static constexpr bool can_fail;  whether a step can fail
//   next()                           Maybe<Item>, or Result<Maybe<Item>> where it fails; null at the end
// and, where the language says `ends`, next_back() of the same type, where it says `sized`, size()
// (how many are left). Sequences move and are used up; an adapter owns the sequence it was made of
// and allocates nothing. walk(x) makes one of anything a `for` takes. Emitted loops are
//   auto walked = nikaia::walk(xs);
//   while (auto step = walked.next()) { auto x = step.take(); … }
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/text.h>
#include <nikaia/rt/tuple.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

template <class Item, bool can_fail>
using Step = MayFail<Maybe<Item>, can_fail>;

template <class S>
concept IsSeq = requires(S& s) {
  typename S::Item;
  s.next();
  { S::can_fail } -> std::convertible_to<bool>;
};
template <class S>
concept HasBack = requires(S& s) {
  s.next_back();
};
template <class S>
concept HasSize = requires(const S& s) {
  s.size();
};

template <class T>
NIKAIA_INLINE Maybe<T>& step_of(Maybe<T>& step) {
  return step;
}
template <class T>
NIKAIA_INLINE Maybe<T>& step_of(Result<Maybe<T>>& step) {
  return step.value();
}

// `NAME` becomes the next step of `seq`; where it fails, the enclosing function does.
#define NIKAIA_NEXT(name, seq, which)                                \
  auto name##_result = (seq).which();                                \
  if constexpr (is_result<decltype(name##_result)>) {                \
    if (name##_result.failed()) return name##_result.take_failure(); \
  }                                                                  \
  auto& name = step_of(name##_result)

// What `f(x)` answers, or the enclosing function fails as `f` did.
template <class R>
NIKAIA_INLINE decltype(auto) answer_of(R& result) {
  if constexpr (is_result<R>) {
    return result.take();
  } else {
    return static_cast<R&&>(result);
  }
}

// ---- the sources

template <class T>
struct RangeSeq {
  using Item = T;
  static constexpr bool can_fail = false;
  T first = 1;
  T last = 0;
  bool ended = true;

  RangeSeq() = default;
  NIKAIA_INLINE explicit RangeSeq(const Range<T>& range) {
    if (!range.empty()) {
      first = range.from;
      last = range.last();
      ended = false;
    }
  }
  NIKAIA_INLINE Maybe<T> next() {
    if (ended) {
      return {};
    }
    const T value = first;
    if (first == last) {
      ended = true;
    } else {
      first = static_cast<T>(first + 1);
    }
    return value;
  }
  NIKAIA_INLINE Maybe<T> next_back() {
    if (ended) {
      return {};
    }
    const T value = last;
    if (first == last) {
      ended = true;
    } else {
      last = static_cast<T>(last - 1);
    }
    return value;
  }
  // All of a 64-bit type is one more than fits; it reads as the largest count.
  NIKAIA_INLINE std::size_t size() const {
    if (ended) {
      return 0;
    }
    const std::uint64_t steps = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    return steps == ~std::uint64_t{0} ? steps : steps + 1;
  }
};

// Lends the elements of a run: of a list, an array, a slice.
template <class T>
struct RunSeq {
  using Item = View<T>;
  static constexpr bool can_fail = false;
  const T* at = nullptr;
  const T* end = nullptr;

  RunSeq() = default;
  NIKAIA_INLINE explicit RunSeq(Run<T> run) : at(run.data), end(run.data + run.size) {}
  NIKAIA_INLINE Maybe<Item> next() { return at == end ? Maybe<Item>() : Maybe<Item>(ViewOf<T>::of(*at++)); }
  NIKAIA_INLINE Maybe<Item> next_back() { return at == end ? Maybe<Item>() : Maybe<Item>(ViewOf<T>::of(*--end)); }
  NIKAIA_INLINE std::size_t size() const { return static_cast<std::size_t>(end - at); }
};

// Hands the elements of a list out; those never asked for die with it.
template <class T>
class DrainSeq {
 public:
  using Item = T;
  static constexpr bool can_fail = false;

  DrainSeq() = default;
  explicit DrainSeq(Vec<T>&& list) : list_(static_cast<Vec<T>&&>(list)), end_(list_.size()) {}
  Maybe<T> next() { return at_ == end_ ? Maybe<T>() : Maybe<T>(static_cast<T&&>(list_.data()[at_++])); }
  Maybe<T> next_back() { return at_ == end_ ? Maybe<T>() : Maybe<T>(static_cast<T&&>(list_.data()[--end_])); }
  std::size_t size() const { return end_ - at_; }

 private:
  Vec<T> list_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

template <class T>
struct ChunkSeq {
  using Item = Run<T>;
  static constexpr bool can_fail = false;
  Run<T> rest;
  std::size_t length = 1;

  Maybe<Item> next() {
    if (rest.size == 0) {
      return {};
    }
    const std::size_t n = length < rest.size ? length : rest.size;
    const Run<T> chunk(rest.data, n, rest.buffer);
    rest.data += n;
    rest.size -= n;
    return chunk;
  }
  Maybe<Item> next_back() {
    if (rest.size == 0) {
      return {};
    }
    const std::size_t over = rest.size % length;
    const std::size_t n = over == 0 ? length : over;
    rest.size -= n;
    return Run<T>(rest.data + rest.size, n, rest.buffer);
  }
  std::size_t size() const { return rest.size / length + (rest.size % length != 0 ? 1 : 0); }
};

template <class T>
struct WindowSeq {
  using Item = Run<T>;
  static constexpr bool can_fail = false;
  Run<T> rest;
  std::size_t length = 1;

  Maybe<Item> next() {
    if (rest.size < length) {
      return {};
    }
    const Run<T> window(rest.data, length, rest.buffer);
    ++rest.data;
    --rest.size;
    return window;
  }
  Maybe<Item> next_back() {
    if (rest.size < length) {
      return {};
    }
    --rest.size;
    return Run<T>(rest.data + rest.size + 1 - length, length, rest.buffer);
  }
  std::size_t size() const { return rest.size < length ? 0 : rest.size - length + 1; }
};

// ---- walk: what a `for` walks

template <class T>
NIKAIA_INLINE RangeSeq<T> walk(const Range<T>& range) {
  return RangeSeq<T>(range);
}
template <class T>
NIKAIA_INLINE RunSeq<T> walk(const Vec<T>& list) {
  return RunSeq<T>(list);
}
template <class T>
NIKAIA_INLINE RunSeq<T> walk(Run<T> run) {
  return RunSeq<T>(run);
}
template <class T>
NIKAIA_INLINE RunSeq<T> walk(const TetheredRun<T>& run) {
  return RunSeq<T>(run);
}
template <class T, std::size_t N>
NIKAIA_INLINE RunSeq<T> walk(const Array<T, N>& array) {
  return RunSeq<T>(array);
}
template <class S>
requires(IsSeq<S> && !std::is_lvalue_reference_v<S>) NIKAIA_INLINE S walk(S&& seq) {
  return static_cast<S&&>(seq);
}
template <class S>
requires IsSeq<S> NIKAIA_INLINE S walk(S& seq) {
  return static_cast<S&&>(seq);
}
template <class T>
NIKAIA_INLINE auto walk(const T* lent) {
  return walk(*lent);
}

// The sequence a row of 4.4 gets: a range is one by itself, a sequence is taken.
template <class S>
using SeqOf = decltype(walk(std::declval<S&>()));

template <class C>
NIKAIA_INLINE auto run_iter(const C& xs) {
  return walk(run_of(xs));
}
template <class C>
auto run_chunks(const C& xs, std::int64_t length, At at = At::here()) {
  const auto run = run_of(xs);
  return ChunkSeq<std::remove_cv_t<std::remove_pointer_t<decltype(run.data)>>>{run, counted_from_one(length, at)};
}
template <class C>
auto run_windows(const C& xs, std::int64_t length, At at = At::here()) {
  const auto run = run_of(xs);
  return WindowSeq<std::remove_cv_t<std::remove_pointer_t<decltype(run.data)>>>{run, counted_from_one(length, at)};
}
template <class T>
NIKAIA_INLINE DrainSeq<T> vec_drain(Vec<T> list) {
  return DrainSeq<T>(static_cast<Vec<T>&&>(list));
}

// ---- adapters

template <class S, class F>
class MapSeq {
  using Answer = std::invoke_result_t<F&, typename S::Item>;

 public:
  using Item = WithoutFailure<Answer>;
  static constexpr bool can_fail = S::can_fail || is_result<Answer>;

  NIKAIA_INLINE MapSeq(S&& seq, F&& f) : seq_(static_cast<S&&>(seq)), f_(static_cast<F&&>(f)) {}
  NIKAIA_INLINE Step<Item, can_fail> next() {
    NIKAIA_NEXT(x, seq_, next);
    return through(x);
  }
  NIKAIA_INLINE Step<Item, can_fail> next_back() requires HasBack<S> {
    NIKAIA_NEXT(x, seq_, next_back);
    return through(x);
  }
  NIKAIA_INLINE std::size_t size() const requires HasSize<S> { return seq_.size(); }

 private:
  NIKAIA_INLINE Step<Item, can_fail> through(Maybe<typename S::Item>& x) {
    if (!x.has()) {
      return Maybe<Item>();
    }
    if constexpr (is_result<Answer>) {
      Answer answer = f_(x.take());
      if (answer.failed()) {
        return answer.take_failure();
      }
      return Maybe<Item>(answer.take());
    } else {
      return Maybe<Item>(f_(x.take()));
    }
  }
  S seq_;
  F f_;
};

template <class S, class F>
class FilterSeq {
  using Answer = std::invoke_result_t<F&, View<typename S::Item>>;

 public:
  using Item = typename S::Item;
  static constexpr bool can_fail = S::can_fail || is_result<Answer>;

  NIKAIA_INLINE FilterSeq(S&& seq, F&& f) : seq_(static_cast<S&&>(seq)), f_(static_cast<F&&>(f)) {}
  NIKAIA_INLINE Step<Item, can_fail> next() {
    while (true) {
      NIKAIA_NEXT(x, seq_, next);
      if (!x.has()) {
        return Maybe<Item>();
      }
      auto answer = f_(view(x.value()));
      if constexpr (is_result<Answer>) {
        if (answer.failed()) {
          return answer.take_failure();
        }
      }
      if (answer_of(answer)) {
        return static_cast<Maybe<Item>&&>(x);
      }
    }
  }
  NIKAIA_INLINE Step<Item, can_fail> next_back() requires HasBack<S> {
    while (true) {
      NIKAIA_NEXT(x, seq_, next_back);
      if (!x.has()) {
        return Maybe<Item>();
      }
      auto answer = f_(view(x.value()));
      if constexpr (is_result<Answer>) {
        if (answer.failed()) {
          return answer.take_failure();
        }
      }
      if (answer_of(answer)) {
        return static_cast<Maybe<Item>&&>(x);
      }
    }
  }

 private:
  S seq_;
  F f_;
};

template <class S>
class RevSeq {
 public:
  using Item = typename S::Item;
  static constexpr bool can_fail = S::can_fail;

  NIKAIA_INLINE explicit RevSeq(S&& seq) : seq_(static_cast<S&&>(seq)) {}
  NIKAIA_INLINE auto next() { return seq_.next_back(); }
  NIKAIA_INLINE auto next_back() { return seq_.next(); }
  NIKAIA_INLINE std::size_t size() const requires HasSize<S> { return seq_.size(); }

 private:
  S seq_;
};

// From the back, the longer one first loses what it has more.
template <class A, class B>
class ZipSeq {
 public:
  using Item = Tuple<typename A::Item, typename B::Item>;
  static constexpr bool can_fail = A::can_fail || B::can_fail;

  NIKAIA_INLINE ZipSeq(A&& a, B&& b) : a_(static_cast<A&&>(a)), b_(static_cast<B&&>(b)) {}
  NIKAIA_INLINE Step<Item, can_fail> next() {
    NIKAIA_NEXT(x, a_, next);
    if (!x.has()) {
      return Maybe<Item>();
    }
    NIKAIA_NEXT(y, b_, next);
    if (!y.has()) {
      return Maybe<Item>();
    }
    return Maybe<Item>(Item(x.take(), y.take()));
  }
  NIKAIA_INLINE Step<Item, can_fail> next_back() requires(HasBack<A>&& HasBack<B>&& HasSize<A>&& HasSize<B>) {
    while (a_.size() > b_.size()) {
      NIKAIA_NEXT(more, a_, next_back);
      if (!more.has()) {
        return Maybe<Item>();
      }
    }
    while (b_.size() > a_.size()) {
      NIKAIA_NEXT(more, b_, next_back);
      if (!more.has()) {
        return Maybe<Item>();
      }
    }
    NIKAIA_NEXT(x, a_, next_back);
    if (!x.has()) {
      return Maybe<Item>();
    }
    NIKAIA_NEXT(y, b_, next_back);
    if (!y.has()) {
      return Maybe<Item>();
    }
    return Maybe<Item>(Item(x.take(), y.take()));
  }
  std::size_t size() const requires(HasSize<A>&& HasSize<B>) { return a_.size() < b_.size() ? a_.size() : b_.size(); }

 private:
  A a_;
  B b_;
};

template <class S>
class TakeSeq {
 public:
  using Item = typename S::Item;
  static constexpr bool can_fail = S::can_fail;

  NIKAIA_INLINE TakeSeq(S&& seq, std::size_t n) : seq_(static_cast<S&&>(seq)), left_(n) {}
  NIKAIA_INLINE Step<Item, can_fail> next() {
    if (left_ == 0) {
      return Maybe<Item>();
    }
    --left_;
    return seq_.next();
  }
  Step<Item, can_fail> next_back() requires(HasBack<S>&& HasSize<S>) {
    while (seq_.size() > left_) {
      NIKAIA_NEXT(more, seq_, next_back);
      if (!more.has()) {
        return Maybe<Item>();
      }
    }
    if (left_ == 0) {
      return Maybe<Item>();
    }
    left_ = seq_.size() - (seq_.size() == 0 ? 0 : 1);
    return seq_.next_back();
  }
  std::size_t size() const requires HasSize<S> { return seq_.size() < left_ ? seq_.size() : left_; }

 private:
  S seq_;
  std::size_t left_;
};

template <class S>
class SkipSeq {
 public:
  using Item = typename S::Item;
  static constexpr bool can_fail = S::can_fail;

  NIKAIA_INLINE SkipSeq(S&& seq, std::size_t n) : seq_(static_cast<S&&>(seq)), over_(n) {}
  Step<Item, can_fail> next() {
    while (over_ > 0) {
      --over_;
      NIKAIA_NEXT(passed, seq_, next);
      if (!passed.has()) {
        over_ = 0;
        return Maybe<Item>();
      }
    }
    return seq_.next();
  }
  Step<Item, can_fail> next_back() requires(HasBack<S>&& HasSize<S>) {
    return seq_.size() > over_ ? seq_.next_back() : Step<Item, can_fail>(Maybe<Item>());
  }
  std::size_t size() const requires HasSize<S> { return seq_.size() > over_ ? seq_.size() - over_ : 0; }

 private:
  S seq_;
  std::size_t over_;
};

// The first and every step-th after it.
template <class S>
class StepBySeq {
 public:
  using Item = typename S::Item;
  static constexpr bool can_fail = S::can_fail;

  NIKAIA_INLINE StepBySeq(S&& seq, std::size_t step) : seq_(static_cast<S&&>(seq)), step_(step) {}
  Step<Item, can_fail> next() {
    for (; over_ > 0; --over_) {
      NIKAIA_NEXT(passed, seq_, next);
      if (!passed.has()) {
        over_ = 0;
        return Maybe<Item>();
      }
    }
    over_ = step_ - 1;
    return seq_.next();
  }
  Step<Item, can_fail> next_back() requires(HasBack<S>&& HasSize<S>) {
    if (seq_.size() <= over_) {
      return Maybe<Item>();
    }
    // What stands behind the last one to be handed out.
    for (std::size_t behind = (seq_.size() - over_ - 1) % step_; behind > 0; --behind) {
      NIKAIA_NEXT(passed, seq_, next_back);
      if (!passed.has()) {
        return Maybe<Item>();
      }
    }
    return seq_.next_back();
  }
  std::size_t size() const requires HasSize<S> {
    return seq_.size() > over_ ? (seq_.size() - over_ - 1) / step_ + 1 : 0;
  }

 private:
  S seq_;
  std::size_t step_;
  std::size_t over_ = 0;
};

// Steps over numbers by addition instead of one by one.
template <class T>
class StepBySeq<RangeSeq<T>> {
 public:
  using Item = T;
  static constexpr bool can_fail = false;

  NIKAIA_INLINE StepBySeq(RangeSeq<T>&& range, std::size_t step) : step_(step) {
    if (!range.ended) {
      first_ = range.first;
      left_ = (static_cast<std::uint64_t>(range.last) - static_cast<std::uint64_t>(range.first)) / step + 1;
      if (left_ == 0) {
        left_ = ~std::uint64_t{0};
      }
    }
  }
  NIKAIA_INLINE Maybe<T> next() {
    if (left_ == 0) {
      return {};
    }
    const T value = first_;
    --left_;
    first_ = static_cast<T>(static_cast<std::uint64_t>(first_) + step_);  // unused where it wraps
    return value;
  }
  NIKAIA_INLINE Maybe<T> next_back() {
    if (left_ == 0) {
      return {};
    }
    --left_;
    return static_cast<T>(static_cast<std::uint64_t>(first_) + left_ * step_);
  }
  NIKAIA_INLINE std::size_t size() const { return left_; }

 private:
  T first_ = 0;
  std::uint64_t left_ = 0;
  std::size_t step_ = 1;
};

template <class S, class F>
NIKAIA_INLINE auto seq_map(S&& seq, F f) {
  return MapSeq<SeqOf<S>, F>(walk(seq), static_cast<F&&>(f));
}
template <class S, class F>
NIKAIA_INLINE auto seq_filter(S&& seq, F f) {
  return FilterSeq<SeqOf<S>, F>(walk(seq), static_cast<F&&>(f));
}
template <class S>
NIKAIA_INLINE auto seq_rev(S&& seq) {
  return RevSeq<SeqOf<S>>(walk(seq));
}
template <class A, class B>
NIKAIA_INLINE auto seq_zip(A&& a, B&& b) {
  return ZipSeq<SeqOf<A>, SeqOf<B>>(walk(a), walk(b));
}
template <class S>
NIKAIA_INLINE auto seq_take(S&& seq, std::int64_t n, At at = At::here()) {
  return TakeSeq<SeqOf<S>>(walk(seq), counted(n, at));
}
template <class S>
NIKAIA_INLINE auto seq_skip(S&& seq, std::int64_t n, At at = At::here()) {
  return SkipSeq<SeqOf<S>>(walk(seq), counted(n, at));
}
template <class S>
NIKAIA_INLINE auto seq_step_by(S&& seq, std::int64_t step, At at = At::here()) {
  return StepBySeq<SeqOf<S>>(walk(seq), counted_from_one(step, at));
}

// ---- eager rows

template <class S, class F>
NIKAIA_INLINE auto seq_for_each(S&& from, F&& f) {
  using Q = SeqOf<S>;
  using Answer = std::invoke_result_t<F&, typename Q::Item>;
  constexpr bool can_fail = Q::can_fail || is_result<Answer>;
  Q seq = walk(from);
  const auto run = [&]() -> MayFail<void, can_fail> {
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) {
        break;
      }
      if constexpr (is_result<Answer>) {
        Answer answer = f(x.take());
        if (answer.failed()) {
          return answer.take_failure();
        }
      } else {
        (void)f(x.take());
      }
    }
    if constexpr (can_fail) {
      return {};
    }
  };
  return run();
}
// Into a container of any type that says how: see collect_into of each.
template <class T, class Item>
NIKAIA_INLINE void collect_into(Vec<T>& list, Item&& item) {
  list.push(static_cast<T>(static_cast<Item&&>(item)));
}
inline void collect_into(String& text, Str piece) {
  text.append(piece);
}
inline void collect_into(String& text, char32_t c) {
  text.append_char(c);
}
template <class T>
inline void collect_room(Vec<T>& list, std::size_t count) {
  list.reserve(count);
}
template <class C>
inline void collect_room(C&, std::size_t) {}

// `collect()` into the container C; without one into a Vec of what the items are stored as.
template <class C = void, class S>
auto seq_collect(S&& from) {
  using Q = SeqOf<S>;
  using Target = std::conditional_t<std::is_void_v<C>, Vec<Stored<typename Q::Item>>, C>;
  Q seq = walk(from);
  const auto run = [&]() -> MayFail<Target, Q::can_fail> {
    Target target;
    if constexpr (HasSize<Q>) {
      collect_room(target, seq.size());
    }
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) {
        return target;
      }
      collect_into(target, x.take());
    }
  };
  return run();
}
template <class S>
auto seq_count(S&& from) {
  using Q = SeqOf<S>;
  Q seq = walk(from);
  const auto run = [&]() -> MayFail<std::int64_t, Q::can_fail> {
    std::int64_t count = 0;
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) {
        return count;
      }
      ++count;
    }
  };
  return run();
}
template <class S>
NIKAIA_INLINE std::int64_t seq_len(const S& seq) {
  return static_cast<std::int64_t>(seq.size());
}
template <class T>
NIKAIA_INLINE std::int64_t seq_len(const Range<T>& range) {
  return static_cast<std::int64_t>(RangeSeq<T>(range).size());
}
template <class S>
auto seq_nth(S&& from, std::int64_t n, At at = At::here()) {
  using Q = SeqOf<S>;
  using Item = typename Q::Item;
  Q seq = walk(from);
  std::size_t over = counted(n, at);
  const auto run = [&]() -> MayFail<OrNull<Item>, Q::can_fail> {
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) {
        return OrNull<Item>();
      }
      if (over-- == 0) {
        return OrNull<Item>(x.take());
      }
    }
  };
  return run();
}
template <class S>
auto seq_next(S&& from) {
  return seq_nth(static_cast<S&&>(from), 0);
}

}  // namespace nikaia
