// Failures (language 04 §1). A function that can fail returns Result<T>: its value or a Failure. A
// Failure is one owning word; the record behind it is allocated where something fails and nowhere
// else. It holds the error value with its type, the site of the `throw`, and the failures that
// joined it on its way.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/text.h>

namespace nikaia {

// The place of one `throw`, a constant in the program. `code` is its site code (NK-7QF).
struct Site {
  const char* file;
  std::uint32_t line;
  const char* function;
  const char* code;
};

// What `message` of `impl Error` says. Emitted error types have a member `message() const`; one
// that cannot (an `enum class`) specialises this.
template <class E>
struct Message {
  static String text(const E& error) { return error.message(); }
};

struct FailureRecord;

// One per error type; its address is the type's identity.
struct FailureType {
  String (*message)(const FailureRecord&);
  void (*destroy)(FailureRecord*);
};

struct FailureRecord {
  const FailureType* type;
  const Site* site;                 // null where no `throw` of Nikaia source raised it
  FailureRecord* joined = nullptr;  // the first failure that joined this one
  FailureRecord* last = nullptr;    // the last one that did
  FailureRecord* next = nullptr;    // the one that joined after this one did
  CountedBuffer* trace = nullptr;   // text, where NIKAIA_TRACE=1 asked for one
  std::size_t trace_size = 0;
};

template <class E>
struct FailureOf : FailureRecord {
  E error;
  FailureOf(const FailureType* of, const Site* where, E&& value)
      : FailureRecord{of, where}, error(static_cast<E&&>(value)) {}
};

template <class E>
String failure_message(const FailureRecord& record) {
  return Message<E>::text(static_cast<const FailureOf<E>&>(record).error);
}
template <class E>
void failure_destroy(FailureRecord* record) {
  delete static_cast<FailureOf<E>*>(record);
}
template <class E>
inline constexpr FailureType failure_type{&failure_message<E>, &failure_destroy<E>};

void capture_trace(FailureRecord* record);
extern bool traces_wanted;  // NIKAIA_TRACE=1

class [[nodiscard]] Failure {
 public:
  constexpr Failure() = default;
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
  NIKAIA_INLINE Failure(Failure&& other) noexcept : record_(other.record_) { other.record_ = nullptr; }
  NIKAIA_INLINE Failure& operator=(Failure&& other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  NIKAIA_INLINE ~Failure() {
    if (__builtin_expect(record_ != nullptr, 0)) {
      release();
    }
  }

  // `throw error`. Without a site: a failure of the library.
  template <class E>
  [[gnu::cold, gnu::noinline]] static Failure make(E error, const Site* site = nullptr) {
    Failure made;
    made.record_ = new FailureOf<E>(&failure_type<E>, site, static_cast<E&&>(error));
    if (traces_wanted) {
      capture_trace(made.record_);
    }
    return made;
  }

  explicit operator bool() const { return record_ != nullptr; }

  template <class E>
  bool is() const {
    return record_ != nullptr && record_->type == &failure_type<E>;
  }
  // Only where is<E>().
  template <class E>
  E& as() {
    return static_cast<FailureOf<E>*>(record_)->error;
  }
  template <class E>
  const E& as() const {
    return static_cast<const FailureOf<E>*>(record_)->error;
  }

  // The short form, what `f"{error}"` prints.
  String message() const;
  // The long form of 04 §1.11.
  String full() const;
  const Site* site() const { return record_ != nullptr ? record_->site : nullptr; }

  // `other` joins this failure: a cleanup that failed while this one was on its way, another branch
  // or task.
  void join(Failure other);

 private:
  void release();
  FailureRecord* record_ = nullptr;
};
template <>
inline constexpr bool copies<Failure> = false;

// `value.full()` of an error value that was never thrown: no site, no chain.
String full_of_unthrown(String message);
template <class E>
String error_full(const E& error) {
  return full_of_unthrown(Message<E>::text(error));
}
inline String error_full(const Failure& error) {
  return error.full();
}
template <>
struct Message<Failure> {
  static String text(const Failure& error) { return error.message(); }
};

template <class T>
class [[nodiscard]] Result {
 public:
  using Value = T;

  constexpr Result() = default;
  constexpr Result(T value) : value_(static_cast<T&&>(value)) {}
  NIKAIA_INLINE Result(Failure failure) : failure_(static_cast<Failure&&>(failure)) {}
  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, T> && !std::is_same_v<std::remove_cvref_t<U>, Failure> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result> && std::is_convertible_v<U, T>) constexpr Result(U&& value)
      : value_(static_cast<U&&>(value)) {}

  NIKAIA_INLINE bool failed() const { return __builtin_expect(static_cast<bool>(failure_), 0); }
  NIKAIA_INLINE bool ok() const { return !failed(); }
  NIKAIA_INLINE Failure take_failure() { return static_cast<Failure&&>(failure_); }
  NIKAIA_INLINE Failure& failure() { return failure_; }
  NIKAIA_INLINE T take() { return static_cast<T&&>(value_); }
  NIKAIA_INLINE T& value() { return value_; }
  NIKAIA_INLINE const T& value() const { return value_; }

 private:
  Failure failure_;
  T value_{};
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using Value = void;

  constexpr Result() = default;
  NIKAIA_INLINE Result(Failure failure) : failure_(static_cast<Failure&&>(failure)) {}

  NIKAIA_INLINE bool failed() const { return __builtin_expect(static_cast<bool>(failure_), 0); }
  NIKAIA_INLINE bool ok() const { return !failed(); }
  NIKAIA_INLINE Failure take_failure() { return static_cast<Failure&&>(failure_); }
  NIKAIA_INLINE Failure& failure() { return failure_; }
  NIKAIA_INLINE void take() {}

 private:
  Failure failure_;
};

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

// What a call answers beside its failure: U for a U and for a Result<U>.
template <class T>
struct WithoutFailureOf {
  using type = T;
};
template <class T>
struct WithoutFailureOf<Result<T>> {
  using type = T;
};
template <class T>
using WithoutFailure = typename WithoutFailureOf<T>::type;
// T, or Result<T> where what it depends on can fail.
template <class T, bool can_fail>
using MayFail = std::conditional_t<can_fail, Result<T>, T>;

}  // namespace nikaia
