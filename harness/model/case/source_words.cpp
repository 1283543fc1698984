#include "harness/model/case/source_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

namespace lab::model {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool goes_on(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Names, numbers, texts and operators; no comments, and of the preprocessor's lines the constants.
class WordReader {
 public:
  explicit WordReader(std::string_view source) : source_(source) {}

  Words words() {
    while (at_ < source_.size()) {
      const std::size_t from = at_;
      if (skip()) continue;
      const int line = line_;
      take();
      all_.push_back({source_.substr(from, at_ - from), line});
    }
    return std::move(all_);
  }

 private:
  /// `#define TILE 32` reads as `const int TILE = 32;`.
  void add_constant(std::string_view directive) {
    Words words = WordReader(directive.substr(1)).words();
    std::erase_if(words, [](const Word& word) { return word.text == "\\"; });
    if (words.size() < 3 || !lab::model::is(words, 0, "define") || !is_name(words[1])) return;
    const std::string_view name = words[1].text;
    const bool takes_arguments =
        name.data() + name.size() == words[2].text.data() && words[2].text == "(";
    const bool arithmetic = std::all_of(words.begin() + 2, words.end(), [](const Word& word) {
      constexpr std::string_view kSigns = "()+-*/%";
      return goes_on(word.text.front()) || kSigns.find(word.text) != std::string_view::npos;
    });
    if (takes_arguments || !arithmetic) return;
    for (const std::string_view text :
         {std::string_view("const"), std::string_view("int"), name, std::string_view("=")}) {
      all_.push_back({text, line_});
    }
    for (std::size_t i = 2; i < words.size(); ++i) all_.push_back({words[i].text, line_});
    all_.push_back({";", line_});
  }
  [[nodiscard]] bool begins(std::string_view text) const {
    return source_.substr(at_, text.size()) == text;
  }
  void go_to(std::size_t end) {
    end = std::min(end, source_.size());
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }
  /// Blanks, comments, directives. Returns false where there is a word.
  bool skip() {
    const bool is_blank = std::isspace(static_cast<unsigned char>(source_[at_])) != 0;
    const bool fresh = fresh_;
    fresh_ = is_blank && (fresh_ || source_[at_] == '\n');
    if (is_blank) return go_to(at_ + 1), true;
    if (begins("//")) return go_to(source_.find('\n', at_)), true;
    if (begins("/*")) {
      const std::size_t end = source_.find("*/", at_ + 2);
      return go_to(end == std::string_view::npos ? end : end + 2), true;
    }
    if (source_[at_] != '#' || !fresh) return false;
    std::size_t end = source_.find('\n', at_);
    while (end != std::string_view::npos && source_[end - 1] == '\\') {
      end = source_.find('\n', end + 1);
    }
    add_constant(source_.substr(at_, std::min(end, source_.size()) - at_));
    return go_to(end), true;
  }
  void take() {
    constexpr std::array<std::string_view, 22> kOperators = {
        "<<=", ">>=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=",
        "&=",  "|=",  "^=", "++", "--", "<<", ">>", "->", "&&", "||", "::"};
    const char c = source_[at_];
    if (c == '"' || c == '\'') return take_text(c);
    if (goes_on(c)) {
      while (at_ < source_.size() && (goes_on(source_[at_]) || source_[at_] == '.')) {
        if (source_[at_] == '.' && begins_name(c)) break;
        ++at_;
      }
      return;
    }
    const auto* const found = std::find_if(kOperators.begin(), kOperators.end(),
                                           [&](std::string_view one) { return begins(one); });
    at_ += found == kOperators.end() ? 1 : found->size();
  }
  void take_text(char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    go_to(end + 1);
  }

  std::string_view source_;
  Words all_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool fresh_ = true;  ///< nothing but blanks is before it on the line
};

}  // namespace

Words words_of(std::string_view source) { return WordReader(source).words(); }

bool is_name(const Word& word) { return begins_name(word.text.front()); }

std::size_t closing_word(const Words& words, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (text == "(" || text == "{" || text == "[") ++depth;
    if ((text == ")" || text == "}" || text == "]") && --depth == 0) return i;
  }
  return words.size() - 1;
}

std::size_t next_semicolon(const Words& words, std::size_t from, std::size_t to) {
  while (from < to && words[from].text != ";") {
    const bool opens =
        words[from].text == "(" || words[from].text == "{" || words[from].text == "[";
    from = opens ? closing_word(words, from) + 1 : from + 1;
  }
  return std::min(from, to);
}

namespace {

/// Whole numbers, constants of the text, and what C++ makes of them.
class WordArithmetic {
 public:
  WordArithmetic(const Words& words, WordRange range, int depth)
      : words_(words), at_(range.from), end_(range.to), depth_(depth) {}

  std::optional<std::int64_t> value() {
    auto sum = product();
    while (sum && at_ < end_ && (is("+") || is("-"))) {
      const bool adds = words_[at_++].text == "+";
      const auto next = product();
      if (!next) return {};
      *sum = adds ? *sum + *next : *sum - *next;
    }
    return sum;
  }
  [[nodiscard]] bool done() const { return at_ >= end_; }

 private:
  [[nodiscard]] bool is(std::string_view text) const {
    return at_ < end_ && words_[at_].text == text;
  }
  std::optional<std::int64_t> product() {
    auto made = single();
    while (made && (is("*") || is("/") || is("%"))) {
      const char how = words_[at_++].text.front();
      const auto next = single();
      constexpr std::int64_t kMost = std::int64_t{1} << 31;
      if (!next || (how != '*' && *next == 0) || *made > kMost || *next > kMost) return {};
      *made = how == '*' ? *made * *next : how == '/' ? *made / *next : *made % *next;
    }
    return made;
  }
  std::optional<std::int64_t> single() {
    if (at_ >= end_) return {};
    if (is("(")) {
      ++at_;
      const auto inner = value();
      if (!is(")")) return {};
      ++at_;
      return inner;
    }
    const Word& word = words_[at_++];
    if (is_name(word)) return constant(word.text);
    std::int64_t number = 0;
    const char* const end = word.text.data() + word.text.size();
    const auto [past, error] = std::from_chars(word.text.data(), end, number);
    const bool whole = error == std::errc() && past == end && number < std::int64_t{1} << 31;
    return whole ? std::optional(number) : std::nullopt;
  }
  /// `const int kName = 3;`
  [[nodiscard]] std::optional<std::int64_t> constant(std::string_view name) const {
    constexpr int kDeepest = 8;
    for (std::size_t i = 2; i + 1 < words_.size() && depth_ < kDeepest; ++i) {
      if (words_[i].text != name || words_[i + 1].text != "=") continue;
      const std::string_view type = words_[i - 2].text;
      if (type != "const" && type != "constexpr") continue;
      WordArithmetic inner(words_, {i + 2, next_semicolon(words_, i + 2, words_.size())},
                           depth_ + 1);
      const auto value = inner.value();
      return inner.done() ? value : std::nullopt;
    }
    return {};
  }

  const Words& words_;
  std::size_t at_;
  std::size_t end_;
  int depth_;
};

}  // namespace

std::optional<std::int64_t> number_of(const Words& words, WordRange range) {
  WordArithmetic read(words, range, 0);
  const auto value = read.value();
  return read.done() ? value : std::nullopt;
}

std::int64_t bytes_of_type(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 31> kTypes = {
      {{"bool", 1},     {"char", 1},     {"int8_t", 1},  {"uint8_t", 1},  {"short", 2},
       {"int16_t", 2},  {"uint16_t", 2}, {"half", 2},    {"__half", 2},   {"__nv_bfloat16", 2},
       {"half2", 4},    {"__half2", 4},  {"int", 4},     {"unsigned", 4}, {"float", 4},
       {"uint32_t", 4}, {"int32_t", 4},  {"char4", 4},   {"uchar4", 4},   {"double", 8},
       {"long", 8},     {"size_t", 8},   {"int64_t", 8}, {"uint64_t", 8}, {"float2", 8},
       {"int2", 8},     {"uint2", 8},    {"float4", 16}, {"int4", 16},    {"uint4", 16},
       {"double2", 16}}};
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const auto& one) { return one.first == type; });
  return found == kTypes.end() ? 0 : found->second;
}

bool has_unsigned(std::string_view source, int line) {
  constexpr std::array<std::string_view, 7> kTypes = {"unsigned", "uint",     "uint32_t", "size_t",
                                                      "uint64_t", "uint16_t", "uint8_t"};
  const Words words = words_of(source);
  const auto is_type = [&](std::size_t at) {
    return std::find(kTypes.begin(), kTypes.end(), words[at].text) != kTypes.end();
  };
  std::set<std::string_view> here;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].line != line) continue;
    const char first = words[i].text.front();
    const char last = words[i].text.back();
    if (is_type(i) || (first >= '0' && first <= '9' && (last == 'u' || last == 'U'))) return true;
    if (is_name(words[i])) here.insert(words[i].text);
  }
  // `unsigned int p = a, q;` declares what comes behind the type and behind each comma.
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_type(i)) continue;
    bool declares = true;
    for (std::size_t at = i + 1; at < words.size() && !is(words, at, ";"); ++at) {
      if (is(words, at, "(") || is(words, at, ")") || is(words, at, "{")) break;
      const bool is_of_type = bytes_of_type(words[at].text) != 0 || is(words, at, "long") ||
                              is(words, at, "const") || is(words, at, "*") ||
                              is(words, at, "__restrict__");
      if (declares && here.contains(words[at].text) && is_name(words[at])) return true;
      declares = is(words, at, ",") || (declares && is_of_type);
    }
  }
  return false;
}

bool is(const Words& words, std::size_t at, std::string_view text) {
  return at < words.size() && words[at].text == text;
}

std::string_view text_of(const std::string& file, const KernelText& source) {
  const auto is_file = [&](const std::string& name) {
    if (file.size() <= name.size()) return file == name;
    return file.ends_with(name) && file[file.size() - name.size() - 1] == '/';
  };
  if (is_file(source.name)) return source.text;
  const auto at = std::find_if(source.included.begin(), source.included.end(),
                               [&](const IncludedText& one) { return is_file(one.name); });
  return at == source.included.end() ? std::string_view() : at->text;
}

}  // namespace lab::model
