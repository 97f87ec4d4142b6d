// Fn<R(A…)>: a kept function value, a counted closure. Handing it on adds a holder. Immediate
// lambdas are plain C++ lambdas and never become one of these.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>

namespace nikaia {

// f(arguments…) as an R: a body that cannot fail, or has nothing to say, where one that can is
// asked for.
template <class R, class F, class... A>
NIKAIA_INLINE R call_as(F& f, A&&... arguments) {
  if constexpr (std::is_void_v<R>) {
    (void)f(static_cast<A&&>(arguments)...);
  } else if constexpr (std::is_void_v<std::invoke_result_t<F&, A...>>) {
    f(static_cast<A&&>(arguments)...);
    return R();
  } else {
    return f(static_cast<A&&>(arguments)...);
  }
}

template <class Signature>
class Fn;

// A function that is only called while it is lent: an address and how to call what lies there.
template <class Signature>
class FnRef;
template <class R, class... A>
class FnRef<R(A...)> {
 public:
  constexpr FnRef() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FnRef> && std::is_invocable_v<F&, A...>) FnRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(f)))) {
    call_ = [](void* object, A... arguments) -> R {
      return call_as<R>(*static_cast<std::remove_reference_t<F>*>(object), static_cast<A&&>(arguments)...);
    };
  }
  R operator()(A... arguments) const { return call_(object_, static_cast<A&&>(arguments)...); }

 private:
  void* object_ = nullptr;
  R (*call_)(void*, A...) = nullptr;
};

template <class R, class... A>
class Fn<R(A...)> {
  struct Closure {
    std::size_t count = 1;
    R (*call)(Closure*, A...) = nullptr;
    void (*destroy)(Closure*) = nullptr;
  };
  template <class F>
  struct ClosureOf : Closure {
    F f;
    explicit ClosureOf(F&& body) : f(static_cast<F&&>(body)) {
      this->call = [](Closure* self, A... arguments) -> R {
        return call_as<R>(static_cast<ClosureOf*>(self)->f, static_cast<A&&>(arguments)...);
      };
      this->destroy = [](Closure* self) { delete static_cast<ClosureOf*>(self); };
    }
  };

 public:
  constexpr Fn() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Fn> && std::is_invocable_v<F&, A...>) Fn(F body)
      : closure_(new ClosureOf<F>(static_cast<F&&>(body))) {}
  Fn(const Fn& other) : closure_(other.closure_) {
    if (closure_ != nullptr) {
      count_up(closure_->count);
    }
  }
  Fn(Fn&& other) noexcept : closure_(other.closure_) { other.closure_ = nullptr; }
  Fn& operator=(Fn other) noexcept {
    std::swap(closure_, other.closure_);
    return *this;
  }
  ~Fn() {
    if (closure_ != nullptr && count_down(closure_->count)) {
      closure_->destroy(closure_);
    }
  }

  explicit operator bool() const { return closure_ != nullptr; }
  R operator()(A... arguments) const { return closure_->call(closure_, static_cast<A&&>(arguments)...); }

 private:
  Closure* closure_ = nullptr;
};

template <class S>
inline constexpr bool is_handle<Fn<S>> = true;
template <class S>
struct Spare<Fn<S>> {
  static constexpr bool exists = true;
  static Fn<S> null() { return {}; }
  static bool is_null(const Fn<S>& f) { return !f; }
  static void settle(Fn<S>&) {}
};

}  // namespace nikaia
