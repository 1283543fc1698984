#include "harness/labs/section.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::labs {

const TomlTable* Section::nearest(std::string_view key) const {
  const auto found = std::find_if(layers_.begin(), layers_.end(),
                                  [&](const TomlTable& layer) { return layer.has(key); });
  return found == layers_.end() ? nullptr : &*found;
}

TomlKind Section::kind(std::string_view key) const {
  const TomlTable* layer = nearest(key);
  return layer == nullptr ? TomlKind::kNone : layer->kind(key);
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> keys;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    for (std::string& key : layer->keys()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
    }
  }
  return keys;
}

std::string_view Section::nearer(std::string_view a, std::string_view b) const {
  for (const TomlTable& layer : layers_) {
    if (layer.has(a)) return a;
    if (layer.has(b)) return b;
  }
  return {};
}

std::vector<PlacedText> Section::formulas(std::string_view key) const {
  const TomlTable* layer = nearest(key);
  return layer == nullptr ? std::vector<PlacedText>() : layer->formulas(key);
}

std::optional<PlacedText> Section::formula(std::string_view key) const {
  std::vector<PlacedText> all = formulas(key);
  if (all.empty()) return {};
  if (all.size() > 1) throw wrong(key, fmt::format("'{}' is one formula", key));
  return std::move(all.front());
}

std::optional<std::string> Section::text(std::string_view key) const {
  const TomlTable* layer = nearest(key);
  return layer == nullptr ? std::nullopt : layer->text(key);
}

std::vector<std::string> Section::texts(std::string_view key) const {
  const TomlTable* layer = nearest(key);
  return layer == nullptr ? std::vector<std::string>() : layer->texts(key);
}

bool Section::flag(std::string_view key) const {
  const TomlTable* layer = nearest(key);
  return layer != nullptr && *layer->flag(key);
}

std::vector<TomlTable> Section::tables(std::string_view key) const {
  const TomlTable* layer = nearest(key);
  return layer == nullptr ? std::vector<TomlTable>() : layer->tables(key);
}

Section Section::section(std::string_view key) const {
  std::vector<TomlTable> found;
  for (const TomlTable& layer : layers_) {
    if (!layer.has(key)) continue;
    if (layer.kind(key) != TomlKind::kTable) break;
    found.push_back(*layer.table(key));
  }
  return Section(std::move(found));
}

Section Section::row(std::string_view key) const {
  std::vector<TomlTable> found;
  for (TomlTable& layer : section(key).layers_) {
    found.push_back(layer);
    if (layer.has("is") || layer.has("requests")) break;
  }
  return Section(std::move(found));
}

Section Section::behind(const Section& farther) const {
  std::vector<TomlTable> all = layers_;
  all.insert(all.end(), farther.layers_.begin(), farther.layers_.end());
  return Section(std::move(all));
}

Error Section::wrong(std::string_view key, const std::string& message, std::string hint) const {
  const TomlTable* layer = nearest(key);
  if (layer == nullptr && layers_.empty()) return input_error(message, std::move(hint));
  return (layer == nullptr ? layers_.front() : *layer).wrong(key, message, std::move(hint));
}

void Section::expect_only(const std::vector<std::string_view>& known) const {
  for (const TomlTable& layer : layers_) layer.expect_only(known);
}

}  // namespace lab::labs
