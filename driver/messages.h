// What the driver says to the user: diagnostics in the text or JSON form (08 §2, §3) on standard
// error, each as soon as it is known, and the last line.
#ifndef NIKAIA_DRIVER_MESSAGES_H
#define NIKAIA_DRIVER_MESSAGES_H

#include <cstddef>
#include <string>
#include <vector>

#include "driver/command_line.h"
#include "driver/trouble.h"
#include "lang/diag/diagnostic.h"
#include "lang/text/source.h"

namespace nikaia::driver {

class Messages {
 public:
  Messages(Color color, bool json);

  void say(const lang::Diagnostic& diagnostic, const lang::SourceMap& sources);
  void error(const Trouble& trouble);
  void warning(const Trouble& trouble);
  // About the whole build.
  void note(const std::string& text, const std::vector<std::string>& helps);

  // Prints the last line and returns `status`.
  int finish(int status);

  [[nodiscard]] std::size_t errors() const { return errors_; }
  // Whether anything was said yet.
  [[nodiscard]] bool silent() const { return said_ == 0; }
  [[nodiscard]] bool json() const { return json_; }
  [[nodiscard]] bool colour() const { return colour_; }

 private:
  void say(const Trouble& trouble, lang::Severity severity);

  bool json_;
  bool colour_;
  bool finished_ = false;
  std::size_t said_ = 0;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

}  // namespace nikaia::driver

#endif
