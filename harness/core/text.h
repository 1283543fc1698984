// Small text helpers: suggestions, numbers for people, hashes, clocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// The candidate nearest to `name` by edit distance, empty where none is near.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);
/// `did you mean 'stride'?`, or a list of what there is where nothing is near.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string> candidates);

/// Counts print as integers with no grouping; other numbers with up to six significant digits.
[[nodiscard]] std::string number_text(double value);

/// SHA-256 (FIPS 180-4) in lower-case hex.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// A JSON string literal with its quotes; bytes that are not UTF-8 are replaced (U+FFFD).
[[nodiscard]] std::string json_quote(std::string_view text);

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string_view trim(std::string_view text);
/// Line `number` (from 1) of a text, without its end; empty where there is none.
[[nodiscard]] std::string_view line_of(std::string_view text, int number);

/// A mangled name as the source has it: `_Z1kILi32EEvPf` is `k<32>`. Without parameters and result
/// type; one that is not mangled as it is.
[[nodiscard]] std::string symbol_name(const std::string& mangled);
/// The same with its parameters: `k<32>(float*)`.
[[nodiscard]] std::string symbol_signature(const std::string& mangled);

/// Now as 2026-11-21T03:54:15Z.
[[nodiscard]] std::string utc_now();
/// A random UUID (version 4). By hand: ten lines do not make up for another library.
[[nodiscard]] std::string new_uuid();

}  // namespace lab
