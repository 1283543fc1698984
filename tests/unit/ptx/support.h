// Small PTX texts for the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "harness/core/error.h"
#include "harness/kernel/ptx/parser.h"

namespace lab::ptx {

inline constexpr const char* kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A kernel with registers %r, %rd, %f, %d, %h and %p; `body` begins at line 6 of the text.
inline std::string kernel(const std::string& body) {
  return std::string(kHeader) + ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .f32 " +
         "%f<9>; .reg .b16 %h<9>; .reg .f64 %d<9>; .reg .pred %p<9>; .reg .b64 %rd<9>;\n" + body +
         "\nret;\n}\n";
}

/// The error that parsing gives, as a person sees it; "" where there is none.
inline std::string error_of(const std::string& text) {
  try {
    (void)parse(text, "x.ptx");
  } catch (const Error& error) {
    return render(error);
  }
  return "";
}

/// A text with a backtick (which no PTX has) where its error stands, and what the error says.
struct Marked {
  const char* text;
  const char* message;
  const char* hint = "";
};

/// The text without its mark.
inline std::string unmarked(std::string text) {
  const std::size_t mark = text.find('`');
  return mark == std::string::npos ? text : text.erase(mark, 1);
}

/// The whole error that a person should see for a marked text: place, line, caret, hint.
inline std::string expected_error(const std::string& text, const Marked& row) {
  const std::size_t mark = text.find('`');
  std::size_t start = 0;
  int line_number = 1;
  for (std::size_t i = 0; i < mark; ++i) {
    if (text[i] != '\n') continue;
    start = i + 1;
    ++line_number;
  }
  const std::string whole = unmarked(text);
  const std::string line = whole.substr(start, whole.find('\n', start) - start);
  std::string out = "x.ptx:" + std::to_string(line_number) + ":" +
                    std::to_string(mark - start + 1) + ": error: " + row.message + "\n";
  if (!line.empty()) out += "  " + line + "\n  " + std::string(mark - start, ' ') + "^\n";
  return *row.hint == '\0' ? out : out + "hint: " + row.hint + "\n";
}

/// Holds the error of `whole`, which has row.text in it, against the mark and the row.
inline void expect_marked_error(const std::string& whole, const Marked& row) {
  ASSERT_NE(whole.find('`'), std::string::npos) << row.text;
  EXPECT_EQ(error_of(unmarked(whole)), expected_error(whole, row)) << row.text;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(std::string(LAB_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("can't read " + path);
  return text.str();
}

}  // namespace lab::ptx
