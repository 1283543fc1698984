// Output that is longer than the screen goes through a pager.
#pragma once

#include <string>
#include <vector>

namespace lab::cli {

/// The command that pages: $LAB_PAGER, else $PAGER, else `less -FRX`. Empty where a variable is set
/// to nothing or to `cat`.
[[nodiscard]] std::string pager_command();

/// While it lives, what is written to standard output goes to the pager, which ends by itself where
/// a screen holds it all. The destructor waits for the reader. It is not an error
/// if the pager cannot be started or the reader leaves it early.
class Pager {
 public:
  /// Does nothing where `wanted` is false or standard output is not a terminal.
  explicit Pager(bool wanted);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  int terminal_ = -1;  // standard output as it was
  int child_ = -1;
};

}  // namespace lab::cli
