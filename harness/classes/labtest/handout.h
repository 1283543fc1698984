// What a lab's texts tell students to type.
#pragma once

#include <string>
#include <vector>

namespace lab::labtest {

/// The commands of a Markdown text, in `code` and in blocks that are indented as code, each once:
/// of a block those first. Lines that end in a backslash are put together. A word in capitals
/// (LAB, FILE) stands for something else: such a line is no command.
[[nodiscard]] std::vector<std::string> commands_of(const std::string& text);

}  // namespace lab::labtest
