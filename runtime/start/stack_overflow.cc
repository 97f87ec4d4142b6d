#include "runtime/start/stack_overflow.h"

#include <cstdint>
#include <cstring>
#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <nikaia/rt/runtime.h>

#include "runtime/executor/executor.h"
#include "runtime/fiber/fiber.h"
#include "runtime/start/panic.h"

extern "C" {  // NOLINTBEGIN: the linker and the C library name these
extern const char __executable_start;
extern const char etext;
extern void* __libc_stack_end;
}  // NOLINTEND

namespace nikaia::rt {
namespace {

constexpr std::size_t handler_stack_bytes = 64 * 1024;
alignas(64) unsigned char handler_stack[handler_stack_bytes];
// How far below the end of main's stack a fault still counts as its overflow: one large frame.
constexpr std::uintptr_t main_margin_bytes = 1024 * 1024;

At main_at;
std::uintptr_t main_stack_low = 0;
std::uintptr_t main_stack_high = 0;

constexpr char reason[] = "its stack is used up";

At spawn_of(const Fiber& fiber) {
  const Task* task = fiber.task;
  if (task == nullptr || task->line == 0) return main_at;
  return At{task->file, task->line};
}

std::uintptr_t program_counter(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#endif
}

// The hook may run where the program's own code was interrupted; in the middle of a library's
// function (an allocation, say) it could find that function's locks held.
bool in_program_text(std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(&__executable_start) &&
         address < reinterpret_cast<std::uintptr_t>(&etext);
}

bool within(std::uintptr_t address, std::uintptr_t low, std::uintptr_t high) {
  return address >= low && address < high;
}

void on_fault(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (const Task* task = executor.current; task != nullptr && task->fiber != nullptr) {
    const Fiber& fiber = *task->fiber;
    const auto low = reinterpret_cast<std::uintptr_t>(fiber.stack.low);
    const bool overrun = fiber.stack.is_process_stack
                             ? within(address, main_stack_low - main_margin_bytes, main_stack_low + guard_bytes)
                             : within(address, low - guard_bytes, low);
    if (overrun) stop_program(spawn_of(fiber), reason, sizeof(reason) - 1, in_program_text(program_counter(context)));
  }
  ::signal(number, SIG_DFL);  // the fault repeats when the handler returns, and ends the process as
                              // it would have
}

}  // namespace

void catch_stack_overflow(const Options& options) {
  main_at = At{options.main_file, options.main_line};
  main_stack_high = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  rlimit limit{};
  ::getrlimit(RLIMIT_STACK, &limit);
  const std::uintptr_t most = limit.rlim_cur == RLIM_INFINITY ? main_stack_high / 2 : limit.rlim_cur;
  main_stack_low = main_stack_high > most ? main_stack_high - most : 0;

  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = handler_stack_bytes;
  ::sigaltstack(&stack, nullptr);
  struct sigaction with {};
  with.sa_sigaction = on_fault;
  with.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&with.sa_mask);
  ::sigaction(SIGSEGV, &with, nullptr);
  ::sigaction(SIGBUS, &with, nullptr);
}

void stack_used_up(const Fiber& fiber) {
  stop_program(spawn_of(fiber), reason, sizeof(reason) - 1, false);
}

}  // namespace nikaia::rt
