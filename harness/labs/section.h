// A table of a lab's file together with those that it takes after by `like`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/labs/toml/table.h"

namespace lab::labs {

/// Layers of tables, the nearest first: a key is that of the nearest layer that has it.
class Section {
 public:
  Section() = default;
  explicit Section(std::vector<TomlTable> layers) : layers_(std::move(layers)) {}

  [[nodiscard]] bool empty() const { return layers_.empty(); }
  [[nodiscard]] bool has(std::string_view key) const { return nearest(key) != nullptr; }
  [[nodiscard]] TomlKind kind(std::string_view key) const;
  /// Those of the farthest layer first, each layer's in the order of the file.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Of the two keys the one whose layer is nearer; the first where both are of one. Empty: neither
  /// is there.
  [[nodiscard]] std::string_view nearer(std::string_view a, std::string_view b) const;

  [[nodiscard]] std::vector<PlacedText> formulas(std::string_view key) const;
  /// One formula; an input error where it is a list of several.
  [[nodiscard]] std::optional<PlacedText> formula(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::vector<TomlTable> tables(std::string_view key) const;

  /// The tables of this name, of the layers from the nearest to the first whose value is none.
  [[nodiscard]] Section section(std::string_view key) const;
  /// The same for a row of theory: what says `is` or `requests` begins anew.
  [[nodiscard]] Section row(std::string_view key) const;
  [[nodiscard]] Section behind(const Section& farther) const;

  /// An input error at the value of `key`, or at the table.
  [[nodiscard]] Error wrong(std::string_view key, const std::string& message,
                            std::string hint = {}) const;
  /// An input error at the first key of any layer that is not one of `known`.
  void expect_only(const std::vector<std::string_view>& known) const;

 private:
  [[nodiscard]] const TomlTable* nearest(std::string_view key) const;

  std::vector<TomlTable> layers_;
};

}  // namespace lab::labs
