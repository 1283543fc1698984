#include "harness/run/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/kernel/compile/source/tokens.h"
#include "harness/run/fix_text.h"

namespace lab::run {
namespace {

using layout::Family;
using source::Token;
using source::TokenKind;

/// A part of the text that is replaced.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

// The parts in brackets of `tile[r][c ^ r]`.
std::vector<std::string> indices_of(std::string_view written) {
  std::vector<std::string> parts;
  int depth = 0;
  for (const char c : written) {
    if (c == ']') --depth;
    if (depth > 0) parts.back() += c;
    if (c == '[' && depth++ == 0) parts.emplace_back();
  }
  return parts;
}

// `c ^ r` with the names' own texts in parentheses.
std::string with_indices(std::string_view rule, std::string_view names,
                         const std::vector<std::string>& values) {
  std::string out;
  for (const Token& token : source::tokens_of(rule)) {
    const std::size_t at = token.text.size() == 1 ? names.find(token.text) : names.npos;
    if (!out.empty()) out += ' ';
    if (at == names.npos) {
      out += token.text;
    } else if (source::tokens_of(values.at(at)).size() == 1) {
      out += values.at(at);
    } else {
      out += fmt::format("({})", values.at(at));
    }
  }
  return out;
}

/// The uses of one array in a text.
class NamedElements {
 public:
  NamedElements(const ArrayFix& fix, std::string_view text)
      : fix_(fix), text_(text), tokens_(source::tokens_of(text)) {}

  /// The indices of every use as the layout has them; empty: one is no element by all its indices.
  [[nodiscard]] std::optional<std::vector<Edit>> edits() const {
    const std::vector<std::string> rules =
        indices_of(layout_text(fix_, fix_.solution.better.front().layout));
    const std::size_t count = fix_.declared->extents.size();
    if (rules.size() != count || count > 2) return {};
    std::vector<Edit> all;
    int depth = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].begin <= fix_.declared->extents.back().end) continue;
      depth += is(i, "{") ? 1 : is(i, "}") ? -1 : 0;
      if (depth < 0) break;  // the end of the block that declares it
      if (!is_use(i)) continue;
      if (!add(i, rules, all)) return {};
    }
    return all;
  }

 private:
  [[nodiscard]] bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].text == text;
  }
  [[nodiscard]] bool is_use(std::size_t at) const {
    const bool member = at > 0 && (is(at - 1, ".") || is(at - 1, ">"));
    return tokens_[at].kind == TokenKind::kName && tokens_[at].text == fix_.name && !member;
  }

  [[nodiscard]] std::size_t after_group(std::size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      if (is(at, "[")) ++depth;
      if (is(at, "]") && --depth == 0) return at + 1;
    }
    return at;
  }

  bool add(std::size_t at, const std::vector<std::string>& rules, std::vector<Edit>& all) const {
    std::vector<std::string> values;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    std::size_t open = at + 1;
    for (; values.size() < rules.size() && is(open, "["); open = after_group(open)) {
      const std::size_t begin = tokens_[open].end;
      const std::size_t end = tokens_[after_group(open) - 1].begin;
      values.emplace_back(text_.substr(begin, end - begin));
      places.emplace_back(begin, end);
    }
    if (values.size() != rules.size()) return false;
    const std::string_view names = rules.size() == 1 ? "i" : "rc";
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].size() == 1) continue;  // as it is
      // An index that names the array itself would have to be written twice.
      if (values[i].find(fix_.name) != std::string::npos) return false;
      all.push_back({places[i].first, places[i].second, with_indices(rules[i], names, values)});
    }
    return true;
  }

  const ArrayFix& fix_;
  std::string_view text_;
  std::vector<Token> tokens_;
};

bool declares(const ArrayFix& fix, std::string_view text) {
  if (!fix.declared || fix.declared->is_dynamic || fix.declared->extents.empty()) return false;
  const source::Extent& last = fix.declared->extents.back();
  return last.end <= text.size() &&
         text.substr(last.begin, last.end - last.begin).find(last.text) != std::string_view::npos;
}

}  // namespace

namespace {

bool is_of_block(const Token& token) {
  return token.text.find("threadIdx") != std::string_view::npos ||
         token.text.find("blockDim") != std::string_view::npos;
}

// The tokens of a kernel's body, its braces among them; empty: the text has no such kernel.
std::optional<std::pair<std::size_t, std::size_t>> body_of(const std::vector<Token>& tokens,
                                                           std::string_view kernel) {
  bool global = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "__global__") global = true;
    if (tokens[i].text == ";" || tokens[i].text == "}") global = false;
    if (!global || tokens[i].text != kernel || tokens[i + 1].text != "(") continue;
    while (i < tokens.size() && tokens[i].text != "{") ++i;
    const std::size_t first = i;
    int depth = 0;
    for (; i < tokens.size(); ++i) {
      depth += tokens[i].text == "{" ? 1 : tokens[i].text == "}" ? -1 : 0;
      if (depth == 0) return std::pair(first, i);
    }
  }
  return {};
}

// Another kernel's use is its own; that of a function, or of a macro, may be this one's, too.
bool is_of_another_kernel(const std::vector<Token>& tokens, std::size_t at) {
  if (tokens[at].kind != TokenKind::kName) return false;
  for (std::size_t i = at; i-- > 0;) {
    if (tokens[i].text == "__global__") return true;
    if (tokens[i].text == "__device__") return false;
  }
  return false;
}

}  // namespace

std::optional<std::string> with_exchanged_threads(std::string_view text, std::string_view kernel) {
  const std::vector<Token> tokens = source::tokens_of(text);
  const auto body = body_of(tokens, kernel);
  if (!body) return {};
  std::string changed(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool inside = i > body->first && i < body->second;
    if (inside && tokens[i].text == "asm") return {};
    if (!is_of_block(tokens[i])) continue;
    if (!inside && is_of_another_kernel(tokens, i)) continue;
    const bool whole = tokens[i].text == "threadIdx" || tokens[i].text == "blockDim";
    if (!inside || !whole || i + 2 >= tokens.size() || tokens[i + 1].text != ".") return {};
    const Token& field = tokens[i + 2];
    if (field.text == "x" || field.text == "y") {
      changed[field.begin] = field.text == "x" ? 'y' : 'x';
    }
  }
  return changed == text ? std::nullopt : std::optional(std::move(changed));
}

std::optional<std::string> applied(const ArrayFix& fix, std::string_view text) {
  if (fix.solution.better.empty() || !declares(fix, text)) return {};
  const layout::Candidate& best = fix.solution.better.front();
  const source::Extent& last = fix.declared->extents.back();
  std::vector<Edit> edits;
  if (!names_anew(fix)) {
    edits.push_back({last.begin, last.end, padded_extent(fix, best.layout)});
  } else {
    auto uses = NamedElements(fix, text).edits();
    if (!uses) return {};
    edits = std::move(*uses);
    if (best.bytes > fix.array.bytes) {
      if (!grows_by_declaration(fix, best)) return {};
      edits.push_back({last.begin, last.end, std::to_string(best.bytes / fix.problem.element)});
    }
  }
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
  std::string changed(text);
  for (const Edit& one : edits) changed.replace(one.begin, one.end - one.begin, one.text);
  return changed;
}

}  // namespace lab::run
