// Whole CUDA programs made fit for a compiler of device code alone: what only the host runs is left
// out, and every line stays where it is.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/kernel/compile/source/declarations.h"
#include "harness/kernel/compile/source/includes.h"

namespace lab::source {

/// A function with __global__, as a person reads it.
struct Kernel {
  std::string name;
  std::string signature;  ///< on one line, without its body
  std::vector<std::string> template_parameters =
      {};  ///< `typename T`, `int N = 3`; none: no template
};

/// Where a header is that is not one of the files.
enum class Header : std::uint8_t {
  kKernels,  ///< kernels can include it
  kStub,     ///< a host's, of which kernels' texts get what they name
  kHost,     ///< for the host alone: it is left out
  kNowhere,  ///< nobody has it: it is left out, and missing
};
struct MissingHeader {
  HeaderName header;
  Place place = {};  ///< of the line that includes it
};
using WhereIs = std::function<Header(const HeaderName& header)>;

/// A text with its declarations, read once.
class Program {
 public:
  /// `files`: the source, and behind it what it includes, found in `folders` too.
  Program(std::vector<File> files, const std::vector<std::string>& folders,
          const WhereIs& where_is);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Whether it has what only a host can run or include.
  [[nodiscard]] bool has_host_code() const;
  [[nodiscard]] std::vector<Kernel> kernels() const;
  /// The headers that are nowhere. Conditions that may leave the line out excuse one.
  [[nodiscard]] const std::vector<MissingHeader>& missing() const { return missing_; }

  /// The files as they are, but that each #include of one of them names it as it is named here.
  [[nodiscard]] std::vector<File> whole() const;
  /// The same where the files have other names, by their number.
  [[nodiscard]] std::vector<File> renamed(
      const std::function<std::string(std::size_t file)>& name_of) const;

  /// The files without what is the host's: kernels, device functions and what they name are kept,
  /// and what the names in `roots` stand for. What is left out is blank, line by line; directives
  /// other than #include stay.
  [[nodiscard]] std::vector<File> device_only(const std::vector<std::string>& roots) const;

  /// Leaves out, from now on, the declaration around a line (from 1) of a file. False where there
  /// is none that can go. Declarations for the device stay if `kernels` use them; another kernel
  /// may go, since its error does not keep these from running. With no kernels, all stay.
  bool leave_out(std::string_view file, int line, const std::vector<std::string>& kernels = {});
  /// The names of what leave_out() took away.
  [[nodiscard]] const std::set<std::string>& left_out() const { return left_out_; }
  /// Whether some of that was for the device: another kernel's.
  [[nodiscard]] bool others_left_out() const { return others_left_out_; }

 private:
  struct Part;
  void resolve_includes(Part& part, const std::vector<std::string>& folders,
                        const WhereIs& where_is);
  /// Declarations for the device that the kernels do not reach by name.
  [[nodiscard]] std::set<const Declaration*> not_named_by(
      const std::vector<std::string>& kernels) const;

  std::vector<Part> parts_;
  std::set<std::string> left_out_;
  std::vector<MissingHeader> missing_;
  bool has_stub_ = false;
  bool others_left_out_ = false;
};

}  // namespace lab::source
