// The rows that bring a sequence to one value (language 07, collections and sequences). Each uses the
// sequence up as far as it needs to, fails where a step or its lambda does, and keeps nothing.
#pragma once

#include <nikaia/rt/numbers.h>
#include <nikaia/rt/order.h>
#include <nikaia/rt/seq.h>

namespace nikaia {

template <class S, class A, class F>
auto seq_fold(S&& from, A start, F&& f) {
  using Q = SeqOf<S>;
  using Answer = std::invoke_result_t<F&, A, typename Q::Item>;
  Q seq = walk(from);
  const auto run = [&]() -> MayFail<A, Q::can_fail || is_result<Answer>> {
    A sum = static_cast<A&&>(start);
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) return sum;
      auto answer = f(static_cast<A&&>(sum), x.take());
      if constexpr (is_result<Answer>) {
        if (answer.failed()) return answer.take_failure();
      }
      sum = answer_of(answer);
    }
  };
  return run();
}

namespace rt {

// The first item that `f` says `wanted` of, or null.
template <bool wanted, class Q, class F>
auto first_that(Q&& seq, F&& f) {
  using Item = typename std::remove_reference_t<Q>::Item;
  using Answer = std::invoke_result_t<F&, View<Item>>;
  constexpr bool can_fail = std::remove_reference_t<Q>::can_fail || is_result<Answer>;
  const auto run = [&]() -> MayFail<Maybe<Item>, can_fail> {
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) return Maybe<Item>();
      auto answer = f(view(x.value()));
      if constexpr (is_result<Answer>) {
        if (answer.failed()) return answer.take_failure();
      }
      if (answer_of(answer) == wanted) return static_cast<Maybe<Item>&&>(x);
    }
  };
  return run();
}

// `then(x)` of what `outcome` holds, or its failure.
template <class R, class F>
auto settled(R&& outcome, F&& then) {
  using Value = WithoutFailure<std::remove_reference_t<R>>;
  using Answer = std::invoke_result_t<F&, Value>;
  const auto run = [&]() -> MayFail<Answer, is_result<std::remove_reference_t<R>>> {
    if constexpr (is_result<std::remove_reference_t<R>>) {
      if (outcome.failed()) return outcome.take_failure();
    }
    return then(answer_of(outcome));
  };
  return run();
}

// The item that comes first by `order` (side < 0) or last (side > 0); of equal ones the first.
template <int side, class S>
auto extreme(S&& from) {
  using Q = SeqOf<S>;
  using Item = typename Q::Item;
  Q seq = walk(from);
  const auto run = [&]() -> MayFail<OrNull<Item>, Q::can_fail> {
    Maybe<Item> best;
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) break;
      if (!best.has() || order(seen(x.value()), seen(best.value())) * side > 0) {
        best = static_cast<Maybe<Item>&&>(x);
      }
    }
    return best.has() ? OrNull<Item>(best.take()) : OrNull<Item>();
  };
  return run();
}

}  // namespace rt

template <class S, class F>
auto seq_any(S&& from, F&& f) {
  auto seq = walk(from);
  return rt::settled(rt::first_that<true>(seq, f), [](auto found) { return found.has(); });
}
template <class S, class F>
auto seq_all(S&& from, F&& f) {
  auto seq = walk(from);
  return rt::settled(rt::first_that<false>(seq, f), [](auto found) { return !found.has(); });
}
template <class S, class F>
auto seq_find(S&& from, F&& f) {
  auto seq = walk(from);
  using Item = typename decltype(seq)::Item;
  return rt::settled(rt::first_that<true>(seq, f),
                     [](auto found) { return found.has() ? OrNull<Item>(found.take()) : OrNull<Item>(); });
}
template <class S>
auto seq_min(S&& from) {
  return rt::extreme<-1>(from);
}
template <class S>
auto seq_max(S&& from) {
  return rt::extreme<1>(from);
}
// Of whole numbers a sum that does not fit stops the program, at the call.
template <class S>
auto seq_sum(S&& from, At at = At::here()) {
  using Number = std::remove_cvref_t<typename SeqOf<S>::Item>;
  return seq_fold(from, Number{}, [at](Number sum, Number x) { return add(sum, x, at); });
}
template <class S>
class EnumerateSeq {
 public:
  using Item = Tuple<std::int64_t, typename S::Item>;
  static constexpr bool can_fail = S::can_fail;

  NIKAIA_INLINE explicit EnumerateSeq(S&& seq) : seq_(static_cast<S&&>(seq)) {}
  NIKAIA_INLINE Step<Item, can_fail> next() {
    NIKAIA_NEXT(x, seq_, next);
    if (!x.has()) return Maybe<Item>();
    return Maybe<Item>(Item(at_++, x.take()));
  }
  NIKAIA_INLINE Step<Item, can_fail> next_back() requires(HasBack<S>&& HasSize<S>) {
    NIKAIA_NEXT(x, seq_, next_back);
    if (!x.has()) return Maybe<Item>();
    return Maybe<Item>(Item(at_ + static_cast<std::int64_t>(seq_.size()), x.take()));
  }
  NIKAIA_INLINE std::size_t size() const requires HasSize<S> { return seq_.size(); }

 private:
  S seq_;
  std::int64_t at_ = 0;  // the position of the next one
};
template <class S>
NIKAIA_INLINE auto seq_enumerate(S&& seq) {
  return EnumerateSeq<SeqOf<S>>(walk(seq));
}

// The same of a list, which lends its elements.
template <class T, class A, class F>
auto vec_fold(const Vec<T>& list, A start, F&& f) {
  return seq_fold(walk(list), static_cast<A&&>(start), f);
}
template <class T, class F>
auto vec_any(const Vec<T>& list, F&& f) {
  return seq_any(walk(list), f);
}
template <class T, class F>
auto vec_all(const Vec<T>& list, F&& f) {
  return seq_all(walk(list), f);
}
template <class T, class F>
auto vec_find(const Vec<T>& list, F&& f) {
  return seq_find(walk(list), f);
}

}  // namespace nikaia
