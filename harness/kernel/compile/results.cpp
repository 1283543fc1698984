#include "harness/kernel/compile/results.h"

#include <cstdint>
#include <vector>

namespace lab::compile {
namespace {

void append_number(std::string& out, std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) out += static_cast<char>((value >> (8 * byte)) & 0xff);
}

std::string encode_texts(const std::vector<std::string_view>& texts) {
  std::string out;
  append_number(out, texts.size());
  for (const std::string_view text : texts) {
    append_number(out, text.size());
    out += text;
  }
  return out;
}

std::optional<std::uint64_t> take_number(std::string_view& in) {
  if (in.size() < 8) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < 8; ++byte) {
    value |= std::uint64_t{static_cast<unsigned char>(in[byte])} << (8 * byte);
  }
  in.remove_prefix(8);
  return value;
}

// At least `least` texts, with nothing behind them; else none.
std::vector<std::string> decode_texts(std::string_view in, std::size_t least) {
  std::vector<std::string> texts;
  const auto count = take_number(in);
  for (std::uint64_t i = 0; count && i < *count; ++i) {
    const auto size = take_number(in);
    if (!size || *size > in.size()) return {};
    texts.emplace_back(in.substr(0, *size));
    in.remove_prefix(*size);
  }
  if (texts.size() < least || !in.empty()) return {};
  return texts;
}

}  // namespace

// PTX, machine code, log, why there are no lines, what was done with host code, a word where other
// kernels' code was left out; then the mangled names.
std::string encode(const Compiled& compiled) {
  std::vector<std::string_view> texts = {
      compiled.ptx, {reinterpret_cast<const char*>(compiled.cubin.data()), compiled.cubin.size()},
      compiled.log, compiled.no_lines,
      compiled.way, compiled.alone ? "alone" : ""};
  texts.insert(texts.end(), compiled.lowered.begin(), compiled.lowered.end());
  return encode_texts(texts);
}

std::optional<Compiled> decode_compiled(std::string_view bytes) {
  std::vector<std::string> texts = decode_texts(bytes, 6);
  if (texts.empty()) return std::nullopt;
  Compiled compiled;
  compiled.ptx = std::move(texts[0]);
  compiled.cubin.assign(texts[1].begin(), texts[1].end());
  compiled.log = std::move(texts[2]);
  compiled.no_lines = std::move(texts[3]);
  compiled.way = std::move(texts[4]);
  compiled.alone = !texts[5].empty();
  compiled.lowered.assign(texts.begin() + 6, texts.end());
  return compiled;
}

std::string encode(const Error& error) {
  const std::string fault = std::to_string(static_cast<int>(error.fault()));
  return encode_texts({fault, error.what(), error.hint()});
}

std::optional<Error> decode_error(std::string_view bytes) {
  const std::vector<std::string> texts = decode_texts(bytes, 3);
  if (texts.empty()) return std::nullopt;
  for (const Fault fault : {Fault::kInput, Fault::kMachine, Fault::kInternal}) {
    if (texts[0] == std::to_string(static_cast<int>(fault))) {
      return Error(fault, texts[1], texts[2]);
    }
  }
  return std::nullopt;
}

}  // namespace lab::compile
