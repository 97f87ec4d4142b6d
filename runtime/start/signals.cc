#include "runtime/start/signals.h"

#include <new>
#include <signal.h>

#include "runtime/executor/executor.h"
#include "runtime/io/operations.h"

namespace nikaia::rt {
namespace {

Task* to_cancel = nullptr;
bool delivered = false;
int signal_number = 0;

void on_signal(int number) {
  if (__atomic_load_n(&activity.parts.signal, __ATOMIC_RELAXED) != 0) {
    ::signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    ::raise(number);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    return;
  }
  signal_number = number;
  __atomic_store_n(&activity.parts.signal, 1, __ATOMIC_RELEASE);
  wake_operations();
}

void catch_unless_ignored(int number) {
  struct sigaction before;
  if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  struct sigaction with {};
  with.sa_handler = on_signal;
  with.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&with.sa_mask);
  ::sigaction(number, &with, nullptr);
}

sigset_t& set_in(unsigned char* room) {
  return *std::launder(reinterpret_cast<sigset_t*>(room));
}

}  // namespace

void catch_signals(Task& main_task) {
  to_cancel = &main_task;
  catch_unless_ignored(SIGINT);
  catch_unless_ignored(SIGTERM);
}

void deliver_signal() {
  if (!signal_waiting() || delivered || to_cancel == nullptr) return;
  delivered = true;
  cancel_task(*to_cancel);
}

int ending_signal() {
  return signal_waiting() ? signal_number : 0;
}

SignalsBlocked::SignalsBlocked() {
  static_assert(sizeof(sigset_t) <= sizeof(before_));
  sigset_t all;
  sigfillset(&all);
  // What a thread's own mistake raises is not put off.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, number);
  ::pthread_sigmask(SIG_SETMASK, &all, new (before_) sigset_t);
}
SignalsBlocked::~SignalsBlocked() {
  ::pthread_sigmask(SIG_SETMASK, &set_in(before_), nullptr);
}

}  // namespace nikaia::rt
