#include "harness/kernel/compile/cache.h"

#include "harness/kernel/compile/results.h"

namespace lab::compile {

std::filesystem::path default_cache_folder() { return user_cache_folder("compile"); }

std::optional<Compiled> Cache::get(const std::string& key) const {
  const auto text = files_.get(key);
  if (!text) return std::nullopt;
  auto compiled = decode_compiled(*text);
  if (compiled) compiled->from_cache = true;
  return compiled;
}

void Cache::put(const std::string& key, const Compiled& compiled) const {
  files_.put(key, encode(compiled));
}

}  // namespace lab::compile
