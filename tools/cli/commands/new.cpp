// lab new: a folder that is a lab, to be changed into one's own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/labs/new_lab.h"
#include "harness/labs/registry.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json_lab.h"

namespace lab::cli {

namespace {}  // namespace

int run_new(const Arguments& arguments, const Console& console) {
  const auto from = arguments.value("from");
  const Lab& source = from ? find_lab(*from) : labs::example_lab();
  const std::string parent = arguments.value("output").value_or("");
  const labs::MadeLab made = labs::make_lab(arguments.positionals().front(), parent, source);
  if (arguments.has("json")) {
    fmt::print("{}\n", made_lab_json(made, source));
    return 0;
  }
  const std::string name = made.names.called();
  const std::string title = fmt::format("Lab {}: a copy of {}", name,
                                        from ? "lab " + source.called() : "the small example");
  const std::string folder = safe_line(made.folder);
  fmt::print("{}\n", toned(title, Tone::kStrong, console.out));
  fmt::print("{}/: {}\n\n", folder, fmt::join(made.files, " "));
  fmt::print("  lab test {}{}\n      check everything in it; again after each change\n",
             folder.find('/') == std::string::npos ? "./" : "", folder);
  fmt::print("  LAB_PATH={} lab run {}\n      run it by its name, as students do\n",
             parent.empty() ? "." : safe_line(parent), name);
  fmt::print("  {}/WRITE.md\n      how a lab is written\n", lab_folders().back());
  return 0;
}

}  // namespace lab::cli
