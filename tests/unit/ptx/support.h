// Small PTX texts for the tests.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "harness/core/error.h"
#include "harness/ptx/parser.h"

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

inline std::string read_file(const std::string& path) {
  std::ifstream file(std::string(LAB_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("can't read " + path);
  return text.str();
}

}  // namespace lab::ptx
