// Things that can only be seen from another process: a lock, a kill, another user, a full disk.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace lab::db {

/// What a forked child came to.
struct ChildResult {
  std::string text;     ///< what `body` returned
  std::string skipped;  ///< why it could not be run; empty: it was
};

/// Runs `body` in a child process, and hands back its text, as user and group 65534, as `setpriv
/// --reuid 65534 --regid 65534 --clear-groups` would start one: root may write whatever the file
/// mode says. Where we are not root, as who we are.
[[nodiscard]] ChildResult unprivileged(const std::function<std::string()>& body);

/// Runs `body` in a child with a tmpfs of `bytes` over `folder` that nobody else sees, then
/// `then_read_only` with that disk remounted read-only.
[[nodiscard]] ChildResult on_small_disk(const std::string& folder, std::size_t bytes,
                                        const std::function<std::string()>& body,
                                        const std::function<std::string()>& then_read_only = {});

/// A child that holds something open until it is told to end.
class Holder {
 public:
  /// Starts `hold` in a child and waits until it has returned; then the child waits.
  explicit Holder(const std::function<void()>& hold);
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  /// Kills it (SIGKILL) and waits.
  ~Holder();
  void kill();
  /// Waits until it ends by itself.
  void wait();

 private:
  int pid_ = -1;
};

}  // namespace lab::db
