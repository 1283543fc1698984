#include "harness/model/case/shared_parts.h"

#include <algorithm>
#include <vector>

#include "harness/model/case/source_words.h"

namespace lab::model {
namespace {

struct Part {
  std::string_view name;
  std::int64_t begins = 0;         ///< byte
  std::int64_t element_bytes = 0;  ///< of what it points to
};

/// Pointers into one extern array, in the order of their declarations.
class Parts {
 public:
  explicit Parts(const Words& words) : words_(words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (is(words, i, "extern")) add_memory(i);
      if (i > 1 && is(words, i, "=") && is(words, i - 2, "*")) add_pointer(i);
    }
  }
  [[nodiscard]] const std::vector<Part>& all() const { return parts_; }
  /// The one that is accessed on a line, [] behind its name; null: none is, or several are.
  [[nodiscard]] const Part* accessed_on(int line) const {
    const Part* found = nullptr;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const Part* part = words_[i].line == line && is(words_, i + 1, "[") ? find(i) : nullptr;
      if (part == nullptr) continue;
      if (found != nullptr && found != part) return nullptr;
      found = part;
    }
    return found;
  }

 private:
  [[nodiscard]] const Part* find(std::size_t at) const {
    if (at >= words_.size()) return nullptr;
    const auto found = std::find_if(parts_.rbegin(), parts_.rend(),
                                    [&](const Part& part) { return part.name == words_[at].text; });
    return found == parts_.rend() ? nullptr : &*found;
  }

  /// extern __shared__ float pool[];
  void add_memory(std::size_t at) {
    const std::size_t end = next_semicolon(words_, at, words_.size());
    bool shared = false;
    for (std::size_t i = at; i + 2 < end + 1 && i + 2 < words_.size(); ++i) {
      shared = shared || is(words_, i, "__shared__");
      if (!shared || !is_name(words_[i]) || !is(words_, i + 1, "[") || !is(words_, i + 2, "]")) {
        continue;
      }
      parts_ = {{words_[i].text, 0, bytes_of_type(words_[i - 1].text)}};
      return;
    }
  }

  /// `float* b = a + 32;`, `float* b = (float*)(a + 32);`, `float* b = (float*)&a[32];`, where the
  /// word at `at` is the sign.
  void add_pointer(std::size_t at) {
    const std::int64_t bytes = at > 2 ? bytes_of_type(words_[at - 3].text) : 0;
    std::size_t end = at + 1;
    while (end < words_.size() && !is(words_, end, ";") && !is(words_, end, ",")) {
      const bool opens = is(words_, end, "(") || is(words_, end, "[");
      end = opens ? closing_word(words_, end) + 1 : end + 1;
    }
    end = std::min(end, words_.size());
    std::size_t from = at + 1;
    const bool is_cast = is(words_, from, "(") && is(words_, closing_word(words_, from) - 1, "*");
    if (is_cast) from = closing_word(words_, from) + 1;
    if (is(words_, from, "(") && closing_word(words_, from) + 1 == end) {
      ++from;
      --end;
    }
    const auto begins = value({from, end});
    if (begins && bytes > 0) parts_.push_back({words_[at - 1].text, *begins, bytes});
  }

  /// The byte that a pointer's first value points to.
  [[nodiscard]] std::optional<std::int64_t> value(WordRange range) const {
    const bool takes_address = is(words_, range.from, "&");
    if (takes_address) ++range.from;
    const Part* of = range.from < range.to ? find(range.from) : nullptr;
    if (of == nullptr || of->element_bytes == 0) return {};
    if (range.from + 1 == range.to) return takes_address ? std::nullopt : std::optional(of->begins);
    if (!is(words_, range.from + 1, takes_address ? "[" : "+")) return {};
    const auto number = number_of(words_, {range.from + 2, range.to - (takes_address ? 1 : 0)});
    if (!number) return {};
    return of->begins + *number * of->element_bytes;
  }

  const Words& words_;
  std::vector<Part> parts_;
};

}  // namespace

std::optional<Overlap> overlapping_parts(std::string_view source, int one, int two,
                                         std::uint64_t byte) {
  const Words words = words_of(source);
  const Parts parts(words);
  const Part* a = parts.accessed_on(one);
  const Part* b = parts.accessed_on(two);
  if (a == nullptr || b == nullptr || a->begins == b->begins) return {};
  const bool in_order = a->begins < b->begins;
  const Part& first = in_order ? *a : *b;
  const Part& second = in_order ? *b : *a;
  if (static_cast<std::int64_t>(byte) < second.begins) return {};
  return Overlap{std::string(parts.all().front().name), std::string(first.name),
                 std::string(second.name), static_cast<std::uint64_t>(second.begins),
                 in_order ? one : two};
}

}  // namespace lab::model
