#include "harness/kernel/compile/source/launches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "harness/core/text.h"
#include "harness/kernel/compile/source/declarations.h"
#include "harness/kernel/compile/source/shared_arrays.h"

namespace lab::source {
namespace {

using TokenList = std::vector<Token>;
using Arguments = std::vector<std::string>;
using Environment =
    std::map<std::string, std::string, std::less<>>;  // names and what they stand for

// Beside the types that have one size everywhere, and what begins as CUDA's own names do.
constexpr std::array<std::string_view, 15> kTypeWords = {
    "const", "unsigned", "signed", "long", "void",   "true",    "false", "sizeof",
    "short", "int",      "char",   "std",  "uchar4", "double3", "float3"};

// A template that launches a template that launches one: more are a mistake.
constexpr int kMostAround = 4;

// So many places are looked at for one name, and so many names: a file may have any number.
constexpr std::size_t kMostMentions = 50;
constexpr int kMostNames = 500;
// Parentheses within each other and constants of constants, in a number of bytes.
constexpr int kDeepestNumber = 30;

struct Text {
  const File* file = nullptr;
  TokenList tokens = {};
  std::vector<Declaration> declarations = {};
};

struct Template {
  std::string name;
  std::vector<std::string> parameters;
  std::string head;  // as declared, without its body
};

// A type and how many `*` are behind it.
struct Type {
  std::string name = {};
  int stars = 0;
  bool lambda = false;
};

template <std::size_t N>
bool is_among(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 9> kQualifiers = {"const",      "volatile",  "__restrict__",
                                                         "__restrict", "restrict",  "static",
                                                         "extern",     "constexpr", "register"};
constexpr std::array<std::string_view, 6> kNoTypes = {"return", "delete", "new",
                                                      "else",   "goto",   "case"};

bool is(const TokenList& tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].text == text;
}

bool is_launch(const TokenList& tokens, std::size_t at) {
  return is(tokens, at, "<") && is(tokens, at + 1, "<") && is(tokens, at + 2, "<");
}

// The token that closes the angle bracket at `open`; tokens.size(): none does.
std::size_t closing_angle(const TokenList& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (is(tokens, at, "(")) at = closing(tokens, at);
    if (is(tokens, at, "<")) ++depth;
    if (is(tokens, at, ">") && --depth == 0) return at;
    if (is(tokens, at, ";") || is(tokens, at, "{")) break;
  }
  return tokens.size();
}

// The texts between the commas from token `from` to before `to`.
Arguments parts_of(std::string_view text, const TokenList& tokens, std::size_t from,
                   std::size_t to) {
  Arguments parts;
  if (from >= to) return parts;
  std::size_t begin = tokens[from].begin;
  int angles = 0;
  for (std::size_t at = from; at < to; ++at) {
    if (is(tokens, at, "<")) ++angles;
    if (is(tokens, at, ">")) --angles;
    if (is(tokens, at, "(") || is(tokens, at, "[") || is(tokens, at, "{")) {
      at = std::min(closing(tokens, at), to - 1);
    }
    const bool comma = is(tokens, at, ",") && angles <= 0;
    const bool last = at + 1 == to;
    if (!comma && !last) continue;
    const std::size_t end = comma ? tokens[at].begin : tokens[at].end;
    parts.emplace_back(trim(text.substr(begin, end - begin)));
    begin = tokens[at].end;
  }
  return parts;
}

// `typename T = float` -> T.
std::string parameter_name(const std::string& parameter) {
  std::string name;
  for (const Token& token : tokens_of(parameter)) {
    if (token.text == "=") break;
    if (token.kind == TokenKind::kName) name = token.text;
  }
  return name;
}

std::string joined(std::span<const Token> tokens) {
  std::string out;
  for (const Token& token : tokens) {
    const bool apart =
        !out.empty() && out.back() != ':' && out.back() != '<' && token.kind == TokenKind::kName;
    if (apart) out += ' ';
    out += token.text;
  }
  return out;
}

// A type as written: qualifiers go, `*` are counted.
Type type_of(std::span<const Token> tokens) {
  Type type;
  std::vector<Token> words;
  for (const Token& token : tokens) {
    if (token.text == "*") ++type.stars;
    const bool word = token.text != "*" && token.text != "&" && !is_among(token.text, kQualifiers);
    if (word) words.push_back(token);
  }
  type.name = joined(words);
  return type;
}

// The type declared with the name at `at`: `float *a`, the b of `float *a, *b`, `const T* in`.
std::optional<Type> declared_at(const TokenList& tokens, std::size_t at) {
  const auto ends_declarator = [&](std::size_t i) {
    return is(tokens, i, ";") || is(tokens, i, ",") || is(tokens, i, "=") || is(tokens, i, ")") ||
           is(tokens, i, "[") || is(tokens, i, "{") || is(tokens, i, "(");
  };
  if (!ends_declarator(at + 1)) return std::nullopt;
  int stars = is(tokens, at + 1, "[") ? 1 : 0;
  std::size_t end = at;  // of the type
  while (end > 0 && (is(tokens, end - 1, "*") || is(tokens, end - 1, "&") ||
                     is_among(tokens[end - 1].text, kQualifiers))) {
    if (is(tokens, end - 1, "*")) ++stars;
    --end;
  }
  std::size_t begin = end;
  if (end > 0 && is(tokens, end - 1, ",")) {  // behind another declarator
    const auto ends = [&](std::size_t i) {
      return is(tokens, i, ";") || is(tokens, i, "{") || is(tokens, i, "}") || is(tokens, i, "(");
    };
    while (begin > 0 && !ends(begin - 1)) --begin;
    end = begin;
    while (end < at && (tokens[end].kind == TokenKind::kName || is(tokens, end, ":")) &&
           !ends_declarator(end + 1)) {
      ++end;
    }
  } else {
    while (begin > 0 &&
           (tokens[begin - 1].kind == TokenKind::kName || is(tokens, begin - 1, ":"))) {
      --begin;
    }
  }
  if (begin == end || is_among(tokens[begin].text, kNoTypes)) return std::nullopt;
  Type type = type_of(std::span(tokens).subspan(begin, end - begin));
  type.stars = stars;
  type.lambda = type.name == "auto" && is(tokens, at + 1, "=") && is(tokens, at + 2, "[");
  if (type.name.empty() || (type.name == "auto" && !type.lambda)) return std::nullopt;
  return type;
}

std::optional<Type> literal_type(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const bool real = !hex && text.find_first_of(".eE") != std::string_view::npos;
  if (real) return Type{text.back() == 'f' || text.back() == 'F' ? "float" : "double"};
  if (text.find_first_of("lL") != std::string_view::npos) return std::nullopt;
  return Type{text.find_first_of("uU") != std::string_view::npos ? "unsigned int" : "int"};
}

/// All that the files say, looked through once for each question.
class Launches {
 public:
  explicit Launches(const std::vector<File>& files) {
    Macros macros;
    for (const File& file : files) add_macros(tokens_of(file.text), macros);
    for (const File& file : files) {
      Text text{&file, tokens_of(file.text)};
      text.declarations = declarations_of(text.tokens, macros);
      for (const Declaration& one : text.declarations) {
        declared_.insert(one.names.begin(), one.names.end());
      }
      texts_.push_back(std::move(text));
    }
  }

  std::vector<Arguments> instances(const Template& wanted, int depth, bool& lambda) const {
    std::vector<Arguments> found;
    if (depth == kMostAround) return found;
    for (const Mention& mention : mentions(wanted.name)) {
      auto arguments = arguments_of(wanted, mention, lambda);
      if (!arguments) continue;
      for (const Environment& names : environments(mention, depth, lambda)) {
        Arguments made;
        for (const std::string& one : *arguments) made.push_back(put_in(one, names, mention));
        const bool known = std::all_of(made.begin(), made.end(), [&](const std::string& one) {
          return names_what_is_known(one);
        });
        if (!known) continue;
        if (std::find(found.begin(), found.end(), made) == found.end()) found.push_back(made);
      }
    }
    return found;
  }

  std::optional<SharedGiven> shared(std::string_view kernel) const {
    for (const Mention& mention : mentions(kernel)) {
      if (mention.configuration.size() < 3 || mention.configuration[2] == "0") continue;
      const std::string& source = mention.text->file->text;
      const auto at = source.begin() + static_cast<std::ptrdiff_t>(name_of(mention).begin);
      SharedGiven given;
      given.place = {mention.text->file->name,
                     1 + static_cast<int>(std::count(source.begin(), at, '\n')), 0,
                     mention.configuration[2]};
      given.bytes = constant(mention.configuration[2], mention, kDeepestNumber);
      return given;
    }
    return std::nullopt;
  }

 private:
  // A name where it is used: `name<given><<<configuration>>>(passed)`, without what is not there.
  struct Mention {
    const Text* text = nullptr;
    const Declaration* inside = nullptr;  // the outermost declaration around it
    std::size_t at = 0;                   // its token
    Arguments given = {};
    Arguments configuration = {};
    Arguments passed = {};
  };

  static const Token& name_of(const Mention& mention) { return mention.text->tokens[mention.at]; }

  std::vector<Mention> mentions(std::string_view name) const {
    std::vector<Mention> found;
    if (++names_ > kMostNames) return found;
    for (const Text& text : texts_) {
      for (std::size_t at = 0; at < text.tokens.size(); ++at) {
        if (text.tokens[at].text != name) continue;
        if (auto mention = mention_at(text, at)) found.push_back(std::move(*mention));
        if (found.size() == kMostMentions) return found;
      }
    }
    return found;
  }

  static std::optional<Mention> mention_at(const Text& text, std::size_t at) {
    const TokenList& tokens = text.tokens;
    Mention made{&text, nullptr, at};
    for (const Declaration& one : text.declarations) {
      if (one.begin <= tokens[at].begin && tokens[at].end <= one.end) made.inside = &one;
    }
    if (made.inside == nullptr) return std::nullopt;
    const bool in_head =
        made.inside->kind == DeclarationKind::kFunction && tokens[at].begin < made.inside->head_end;
    if (in_head) return std::nullopt;
    std::size_t next = at + 1;
    if (is(tokens, next, "<") && !is_launch(tokens, next)) {
      const std::size_t close = closing_angle(tokens, next);
      if (close == tokens.size()) return std::nullopt;
      made.given = parts_of(text.file->text, tokens, next + 1, close);
      next = close + 1;
    } else if (made.inside->kind == DeclarationKind::kOther) {
      return std::nullopt;  // its declaration
    }
    if (is_launch(tokens, next)) {
      std::size_t close = next + 3;
      while (close < tokens.size() && !(is(tokens, close, ">") && is(tokens, close + 1, ">") &&
                                        is(tokens, close + 2, ">"))) {
        close = is(tokens, close, "(") ? closing(tokens, close) + 1 : close + 1;
      }
      if (close >= tokens.size()) return std::nullopt;
      made.configuration = parts_of(text.file->text, tokens, next + 3, close);
      next = close + 3;
    }
    if (is(tokens, next, "(")) {
      const std::size_t close = closing(tokens, next);
      if (close < tokens.size()) {
        made.passed = parts_of(text.file->text, tokens, next + 1, close);
      }
    }
    return made;
  }

  // The template's arguments where it is mentioned: those written out, then those deduced; defaults
  // are left out.
  static std::optional<Arguments> arguments_of(const Template& wanted, const Mention& mention,
                                               bool& lambda) {
    Arguments arguments = mention.given;
    for (std::size_t i = arguments.size(); i < wanted.parameters.size(); ++i) {
      const std::string& parameter = wanted.parameters[i];
      const auto type = deduced(wanted, parameter_name(parameter), mention);
      const bool has_default = parameter.find('=') != std::string::npos;
      lambda = lambda || (type && type->lambda);
      if (type && !type->lambda) {
        arguments.push_back(type->name + std::string(static_cast<std::size_t>(type->stars), '*'));
      } else if (has_default) {
        break;
      } else {
        return std::nullopt;
      }
    }
    if (arguments.empty()) return std::nullopt;
    return arguments;
  }

  // The type that stands for `name` by what is passed.
  static std::optional<Type> deduced(const Template& wanted, const std::string& name,
                                     const Mention& mention) {
    const TokenList tokens = tokens_of(wanted.head);
    std::size_t open = 0;
    while (open < tokens.size() &&
           !(tokens[open].text == wanted.name && is(tokens, open + 1, "("))) {
      ++open;
    }
    if (++open >= tokens.size()) return std::nullopt;
    const Arguments taken = parts_of(wanted.head, tokens, open + 1, closing(tokens, open));
    for (std::size_t i = 0; i < taken.size() && i < mention.passed.size(); ++i) {
      TokenList parameter = tokens_of(taken[i]);
      if (parameter.size() < 2) continue;
      const Type wants = type_of(std::span(parameter).first(parameter.size() - 1));
      if (wants.name != name) continue;
      auto type = passed_type(mention.passed[i], mention);
      if (!type || type->stars < wants.stars) continue;
      type->stars -= wants.stars;
      return type;
    }
    return std::nullopt;
  }

  static std::optional<Type> passed_type(const std::string& passed, const Mention& mention) {
    const TokenList tokens = tokens_of(passed);
    if (tokens.empty()) return std::nullopt;
    if (tokens[0].text == "[") return Type{"", 0, true};
    if (tokens.size() == 1 && tokens[0].kind == TokenKind::kNumber) {
      return literal_type(tokens[0].text);
    }
    if (tokens[0].text.ends_with("_cast") && is(tokens, 1, "<")) {
      const std::size_t close = closing_angle(tokens, 1);
      if (close == tokens.size()) return std::nullopt;
      return type_of(std::span(tokens).subspan(2, close - 2));
    }
    const bool address = tokens[0].text == "&";
    if (tokens.size() != (address ? 2U : 1U)) return std::nullopt;
    auto type = declared_type(tokens.back().text, mention);
    if (type && address) ++type->stars;
    return type;
  }

  // In the declaration around the mention, before it; else outside of all functions.
  static std::optional<Type> declared_type(std::string_view name, const Mention& mention) {
    std::optional<Type> found;
    const TokenList& tokens = mention.text->tokens;
    for (std::size_t at = 1; at < tokens.size(); ++at) {
      if (tokens[at].text != name) continue;
      const bool inside =
          tokens[at].begin >= mention.inside->begin && tokens[at].begin < name_of(mention).begin;
      if (inside || (!found && outermost(*mention.text, tokens[at]))) {
        if (auto type = declared_at(tokens, at)) found = std::move(type);
      }
    }
    return found;
  }

  static bool outermost(const Text& text, const Token& token) {
    return std::any_of(text.declarations.begin(), text.declarations.end(), [&](const auto& one) {
      return one.kind == DeclarationKind::kOther && one.begin <= token.begin &&
             token.end <= one.end;
    });
  }

  // Of a template around the mention: what its names stand for, in each of its instances.
  std::vector<Environment> environments(const Mention& mention, int depth, bool& lambda) const {
    const Declaration& inside = *mention.inside;
    if (inside.kind != DeclarationKind::kFunction || inside.names.empty()) return {{}};
    const std::string head =
        mention.text->file->text.substr(inside.begin, inside.head_end - inside.begin);
    const Template around{std::string(inside.names.front()), template_parameters(head), head};
    if (around.parameters.empty()) return {{}};
    std::vector<Environment> found;
    for (const Arguments& arguments : instances(around, depth + 1, lambda)) {
      Environment names;
      for (std::size_t i = 0; i < around.parameters.size() && i < arguments.size(); ++i) {
        names[parameter_name(around.parameters[i])] = arguments[i];
      }
      if (names.size() == around.parameters.size()) found.push_back(std::move(names));
    }
    return found;
  }

  // A name may be of a macro that is not here: scalar_t. What stands behind a scope is not looked
  // for.
  bool names_what_is_known(const std::string& argument) const {
    const TokenList tokens = tokens_of(argument);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view name = tokens[i].text;
      if (tokens[i].kind != TokenKind::kName || is(tokens, i + 1, ":")) continue;
      const bool scoped = i > 0 && is(tokens, i - 1, ":");
      const bool built_in = is_among(name, kTypeWords) || bytes_of_type(name) ||
                            name.starts_with("cu") || name.starts_with("__");
      if (!scoped && !built_in && !declared_.contains(name)) return false;
    }
    return true;
  }

  std::string put_in(const std::string& text, const Environment& names,
                     const Mention& mention) const {
    std::string out;
    const TokenList tokens = tokens_of(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0 && tokens[i].begin != tokens[i - 1].end) out += ' ';
      const auto named = names.find(tokens[i].text);
      const auto local = tokens[i].kind == TokenKind::kName && named == names.end()
                             ? local_constant(tokens[i].text, mention)
                             : std::nullopt;
      out += named != names.end() ? named->second : local ? *local : std::string(tokens[i].text);
    }
    return out;
  }

  // `const int N = 32;` in the function around the mention.
  static std::optional<std::string> local_constant(std::string_view name, const Mention& mention) {
    const auto value = assigned(name, mention, true);
    if (!value) return std::nullopt;
    const auto number = constant(*value, mention, kDeepestNumber);
    return number ? std::to_string(*number) : *value;
  }

  // The one value that a name is given in the declaration around the mention, or where that has
  // none, outside of all functions or by #define.
  static std::optional<std::string> assigned(std::string_view name, const Mention& mention,
                                             bool only_inside) {
    std::optional<std::string> inside;
    std::optional<std::string> outside;
    const TokenList& tokens = mention.text->tokens;
    const std::string_view source = mention.text->file->text;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at].kind == TokenKind::kDirective) {
        const Directive directive = directive_of(tokens[at].text);
        const TokenList parts = tokens_of(directive.rest);
        const bool defines =
            directive.name == "define" && parts.size() > 1 && parts[0].text == name;
        if (defines) outside = trim(directive.rest.substr(parts[1].begin));
        continue;
      }
      if (tokens[at].text != name || !is(tokens, at + 1, "=") || is(tokens, at + 2, "=")) continue;
      std::size_t end = at + 2;
      while (end < tokens.size() && !is(tokens, end, ";") && !is(tokens, end, ",")) {
        end = is(tokens, end, "(") || is(tokens, end, "{") ? closing(tokens, end) + 1 : end + 1;
      }
      if (end >= tokens.size() || end == at + 2) continue;
      const std::size_t from = tokens[at + 2].begin;
      const std::string value(trim(source.substr(from, tokens[end].begin - from)));
      const bool here =
          tokens[at].begin >= mention.inside->begin && tokens[at].end <= mention.inside->end;
      if (here && inside && *inside != value) return std::nullopt;  // it varies
      if (here) inside = value;
      if (!here && outermost(*mention.text, tokens[at])) outside = value;
    }
    return inside || only_inside ? inside : outside;
  }

  // Sums and products of whole numbers, sizes of types, and names of these.
  static std::optional<std::uint64_t> constant(std::string_view text, const Mention& mention,
                                               int depth) {
    const TokenList tokens = tokens_of(text);
    std::size_t at = 0;
    const auto value = sum(tokens, at, mention, depth);
    return at == tokens.size() ? value : std::nullopt;
  }

  using Number = std::optional<std::uint64_t>;

  static Number sum(const TokenList& tokens, std::size_t& at, const Mention& mention, int depth) {
    Number value = product(tokens, at, mention, depth);
    while (value && (is(tokens, at, "+") || is(tokens, at, "-"))) {
      const bool plus = is(tokens, at++, "+");
      const Number next = product(tokens, at, mention, depth);
      if (!next || (!plus && *next > *value)) return std::nullopt;
      value = plus ? *value + *next : *value - *next;
    }
    return value;
  }

  static Number product(const TokenList& tokens, std::size_t& at, const Mention& mention,
                        int depth) {
    Number value = factor(tokens, at, mention, depth);
    while (value && (is(tokens, at, "*") || is(tokens, at, "/"))) {
      const bool times = is(tokens, at++, "*");
      const Number next = factor(tokens, at, mention, depth);
      if (!next || (!times && *next == 0)) return std::nullopt;
      value = times ? *value * *next : *value / *next;
    }
    return value;
  }

  static Number factor(const TokenList& tokens, std::size_t& at, const Mention& mention,
                       int depth) {
    if (at >= tokens.size() || depth == 0) return std::nullopt;
    const Token& token = tokens[at++];
    if (token.kind == TokenKind::kNumber) {
      std::uint64_t value = 0;
      const char* end = token.text.data() + token.text.size();
      const char* stop = std::from_chars(token.text.data(), end, value).ptr;
      const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
      if (suffix.find_first_not_of("uUlL") != std::string_view::npos) return std::nullopt;
      return value;
    }
    if (token.text == "(") {
      const Number value = sum(tokens, at, mention, depth - 1);
      return is(tokens, at++, ")") ? value : std::nullopt;
    }
    if (token.text == "sizeof" && is(tokens, at, "(")) {
      const std::size_t close = closing(tokens, at);
      if (close == tokens.size()) return std::nullopt;
      const auto type = std::span(tokens).subspan(at + 1, close - at - 1);
      at = close + 1;
      const auto bytes = bytes_of_type(joined(type));
      return bytes ? Number(*bytes) : std::nullopt;
    }
    const auto value = assigned(token.text, mention, false);
    return value ? constant(*value, mention, depth - 1) : std::nullopt;
  }

  std::vector<Text> texts_;
  std::set<std::string, std::less<>> declared_;
  mutable int names_ = 0;  // looked for
};

}  // namespace

Instances instances_of(const std::vector<File>& files, const Kernel& kernel) {
  Instances made;
  const Launches launches(files);
  const Template wanted{kernel.name, kernel.template_parameters, kernel.signature};
  for (const Arguments& arguments : launches.instances(wanted, 0, made.lambda)) {
    std::string name = kernel.name + "<";
    for (const std::string& one : arguments) name += (name.back() == '<' ? "" : ", ") + one;
    made.names.push_back(name + ">");
  }
  return made;
}

std::optional<SharedGiven> shared_given(const std::vector<File>& files, std::string_view kernel) {
  return Launches(files).shared(kernel);
}

}  // namespace lab::source
