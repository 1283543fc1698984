#include "harness/kernel/compile/source/declarations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace lab::source {
namespace {

using Tokens = std::span<const Token>;

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 4> kClassWords = {"struct", "class", "union", "enum"};

// Characters that the macros of one text may expand to altogether.
constexpr std::size_t kMostExpanded = std::size_t{4} << 20;

constexpr std::array<std::string_view, 3> kAccessWords = {"public", "protected", "private"};

// A parenthesis after one of these is not a function's parameters.
constexpr std::array<std::string_view, 18> kNoFunctions = {
    "alignas",           "__align__",       "__attribute__", "__declspec",
    "decltype",          "noexcept",        "requires",      "sizeof",
    "alignof",           "explicit",        "throw",         "asm",
    "__asm__",           "typeof",          "static_assert", "__maxnreg__",
    "__launch_bounds__", "__cluster_dims__"};

// A name before a parenthesis that is a type's: void (*f)(int).
constexpr std::array<std::string_view, 15> kTypes = {
    "void", "bool",  "char",     "short",  "int",      "long",   "float",   "double",
    "auto", "const", "unsigned", "signed", "typename", "return", "volatile"};

// Names of the host's side of the C and C++ libraries. What uses them runs on the host.
constexpr std::array<std::string_view, 24> kHostNames = {
    "cout",          "cerr",         "clog",         "endl",          "ostream", "ifstream",
    "ofstream",      "stringstream", "fprintf",      "stderr",        "stdout",  "fopen",
    "fclose",        "getenv",       "srand",        "gettimeofday",  "fflush",  "host_vector",
    "device_vector", "EXIT_FAILURE", "EXIT_SUCCESS", "runtime_error", "mt19937", "random_device"};

// Words of everyday use that are the host's where std:: stands before them.
constexpr std::array<std::string_view, 14> kStdHostNames = {
    "vector", "string", "thread", "chrono",        "unique_ptr", "shared_ptr", "make_unique",
    "map",    "list",   "set",    "unordered_map", "function",   "mutex",      "exit"};

bool is_identifier(const Token& token) {
  return token.kind == TokenKind::kName && !is_one_of(token.text, kTypes) &&
         !is_one_of(token.text, kClassWords);
}

// cudaMalloc( and cublasSgemm( are calls of the host's; cudaTextureObject_t is a type.
bool is_host_call(const Token& token, const Token* next) {
  constexpr std::array<std::string_view, 7> kLibraries = {"cuda",     "cublas",   "cufft", "curand",
                                                          "cusparse", "cusolver", "nvml"};
  if (next == nullptr || next->text != "(") return false;
  return std::any_of(kLibraries.begin(), kLibraries.end(), [&](std::string_view library) {
    return token.text.starts_with(library) && token.text.size() > library.size() &&
           std::isupper(static_cast<unsigned char>(token.text[library.size()])) != 0;
  });
}

// Whether tokens begin at `at` that touch each other and read `text`.
bool reads(Tokens tokens, std::size_t at, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (at + i >= tokens.size() || tokens[at + i].text != text.substr(i, 1)) return false;
    if (i > 0 && tokens[at + i].begin != tokens[at + i - 1].end) return false;
  }
  return true;
}

bool runs_on_host(Tokens tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const Token* next = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
    if (reads(tokens, i, "<<<")) return true;
    if (token.kind != TokenKind::kName) continue;
    if (is_one_of(token.text, kHostNames) || is_host_call(token, next)) return true;
    const bool in_std = i >= 3 && reads(tokens, i - 2, "::") && tokens[i - 3].text == "std";
    if (in_std && is_one_of(token.text, kStdHostNames)) return true;
    if (token.text == "exit" && next != nullptr && next->text == "(") return true;
  }
  return false;
}

// Looks for a declaration's end, and gathers on the way what its tokens say about it.
class Reader {
 public:
  /// `budget`: what macros may still make, in characters.
  Reader(Tokens tokens, const Macros& macros, std::size_t& budget)
      : tokens_(tokens), macros_(macros), budget_(budget) {}

  std::vector<Declaration> run() {
    while (at_ < tokens_.size()) step();
    return std::move(found_);
  }

 private:
  struct Depth {
    int braces = 0;
    int parentheses = 0;
  };

  [[nodiscard]] std::string_view text(std::size_t at) const {
    return at < tokens_.size() ? tokens_[at].text : std::string_view();
  }

  void step() {
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::kDirective) {
      add_directive(token);
      ++at_;
    } else if (token.text == ";" || token.text == "}") {
      ++at_;  // a block's end stays where it is
    } else if (is_one_of(token.text, kAccessWords) && text(at_ + 1) == ":") {
      at_ += 2;
    } else if (const std::size_t block = block_at(at_); block > 0) {
      at_ = block;
    } else {
      add_declaration();
    }
  }

  // The token behind the brace that opens a namespace or an extern "C" block; 0: none does here.
  [[nodiscard]] std::size_t block_at(std::size_t at) const {
    if (text(at) == "extern" && at + 2 < tokens_.size() &&
        tokens_[at + 1].kind == TokenKind::kText && text(at + 2) == "{") {
      return at + 3;
    }
    if (text(at) == "inline" && text(at + 1) == "namespace") ++at;
    if (text(at) != "namespace") return 0;
    for (++at; at < tokens_.size() && text(at) != ";" && text(at) != "="; ++at) {
      if (text(at) == "{") return at + 1;
    }
    return 0;
  }

  void add_directive(const Token& token) {
    Declaration made;
    const Directive directive = directive_of(token.text);
    made.begin = token.begin;
    made.end = made.head_end = token.end;
    made.kind = DeclarationKind::kDirective;
    if (directive.name == "include") made.kind = DeclarationKind::kInclude;
    if (directive.name == "define") {
      made.kind = DeclarationKind::kMacro;
      for (const Token& part : tokens_of(directive.rest)) {
        if (part.kind != TokenKind::kName) continue;
        if (made.names.empty()) {
          made.names.push_back(part.text);
        } else {
          made.uses.insert(part.text);
        }
      }
    }
    found_.push_back(std::move(made));
  }

  void add_declaration() {
    const std::size_t first = at_;
    state_ = State{};
    Depth depth;
    std::vector<Depth> conditions;
    bool over = false;
    for (; at_ < tokens_.size() && !over; ++at_) {
      const Token& token = tokens_[at_];
      if (token.kind == TokenKind::kDirective) {
        see_condition(token, depth, conditions);
        continue;
      }
      if (token.text == "}" && depth.braces == 0) break;  // the end of a block around it
      over = see(first, depth);
    }
    finish(first);
  }

  // A brace that both branches of a condition open is open once: each branch begins as deep as the
  // first, and what follows is as deep as the first branch's end.
  void see_condition(const Token& token, Depth& depth, std::vector<Depth>& open) {
    const std::string_view name = directive_of(token.text).name;
    if (name == "if" || name == "ifdef" || name == "ifndef") open.push_back(depth);
    if (open.empty()) return;
    if (name == "else" || name == "elif") depth = open.back();
    if (name == "endif") open.pop_back();
    // A directive within a declaration is one of its own, too: it stays when the rest goes.
    inner_.push_back(token);
  }

  // True where the declaration ends with this token.
  bool see(std::size_t first, Depth& depth) {
    const Token& token = tokens_[at_];
    const bool outermost = depth.braces == 0 && depth.parentheses == 0;
    if (token.text == "template" && outermost && text(at_ + 1) == "<") {
      skip_angles();
      return false;
    }
    if (const std::size_t close = outermost ? invocation_at(at_) : 0; close > 0) {
      at_ = close;
      return state_.invoked = true;
    }
    if (outermost) see_outermost(first, token);
    if (token.text == "(") ++depth.parentheses;
    if (token.text == ")") depth.parentheses = std::max(depth.parentheses - 1, 0);
    if (token.text == "{" && depth.parentheses == 0) {
      if (depth.braces == 0) open_brace(first);
      ++depth.braces;
    }
    if (token.text == "}" && depth.parentheses == 0) {
      --depth.braces;
      if (depth.braces == 0) return state_.in_body;
    }
    return token.text == ";" && outermost;
  }

  // The parenthesis that closes a macro's invocation that makes whole declarations; 0: none is
  // here.
  [[nodiscard]] std::size_t invocation_at(std::size_t at) const {
    const bool in_head = state_.parameters > 0 || state_.assigned || state_.class_head;
    const auto macro = in_head ? macros_.defined.end() : macros_.defined.find(text(at));
    if (macro == macros_.defined.end() || !macro->second.function_like || text(at + 1) != "(") {
      return 0;
    }
    int depth = 0;
    std::size_t close = at + 1;
    for (; close < tokens_.size(); ++close) {
      if (text(close) == "(") ++depth;
      if (text(close) == ")" && --depth == 0) break;
    }
    if (close == tokens_.size()) return 0;
    const auto made = expanded(source_of(at, close), macros_, budget_);
    return made && is_whole(tokens_of(*made)) ? close : 0;
  }

  // Whether a text ends where a declaration does.
  static bool is_whole(const std::vector<Token>& tokens) {
    if (tokens.empty() || (tokens.back().text != "}" && tokens.back().text != ";")) return false;
    int depth = 0;
    for (const Token& token : tokens) {
      if (token.text == "{" || token.text == "(") ++depth;
      if (token.text == "}" || token.text == ")") --depth;
    }
    return depth == 0;
  }

  // The text from one token to another, both with it.
  [[nodiscard]] std::string_view source_of(std::size_t first, std::size_t last) const {
    const Token& to = tokens_[last];
    return {tokens_[first].text.data(), to.end - tokens_[first].begin};
  }

  void see_outermost(std::size_t first, const Token& token) {
    const Token* before = at_ > first ? &tokens_[at_ - 1] : nullptr;
    if (is_one_of(token.text, kClassWords) && state_.parameters == 0) state_.class_head = true;
    if (token.text == "=" && before != nullptr && before->text != "operator" &&
        before->text != "=" && text(at_ + 1) != "=") {
      state_.assigned = true;
    }
    if (before == nullptr) return;
    const bool named = is_identifier(*before);
    if (is_identifier(token) && is_one_of(before->text, kClassWords)) {
      state_.names.push_back(token.text);
    }
    if (token.text == "(" && !state_.assigned && !state_.initialisers &&
        !is_one_of(before->text, kNoFunctions)) {
      ++state_.parameters;
      if (named) state_.names.push_back(before->text);
      // A pointer to a function: typedef int (*f)(int).
      if (text(at_ + 1) == "*" && at_ + 2 < tokens_.size() && is_identifier(tokens_[at_ + 2])) {
        state_.names.push_back(text(at_ + 2));
      }
      if (before->text == ">") name_before_angles(first);
    }
    if (token.text == ":" && before->text == ")" && text(at_ + 1) != ":") {
      state_.initialisers = true;
    }
    const bool ends_name = token.text == ";" || token.text == "=" || token.text == "," ||
                           token.text == "[" || token.text == ")" || token.text == "{" ||
                           (token.text == ":" && state_.class_head);
    const bool value = state_.assigned && token.text != "=";  // what it is given, not its name
    if (ends_name && named && state_.parameters == 0 && !value) {
      state_.names.push_back(before->text);
    }
  }

  // template <> void f<float>(...)
  void name_before_angles(std::size_t first) {
    int angles = 0;
    for (std::size_t at = at_ - 1; at > first; --at) {
      if (text(at) == ">") ++angles;
      if (text(at) == "<" && --angles == 0) {
        if (is_identifier(tokens_[at - 1])) state_.names.push_back(text(at - 1));
        return;
      }
    }
  }

  void open_brace(std::size_t first) {
    const Token& before = tokens_[at_ > first ? at_ - 1 : at_];
    const bool member = state_.initialisers && before.text != ")" && before.text != "}";
    if (state_.assigned || member || state_.in_body) return;
    if (state_.parameters > 0) {
      state_.in_body = true;
      state_.head_end = tokens_[at_].begin;
    } else if (state_.class_head && state_.class_body == 0) {
      state_.class_body = at_ + 1;
    }
  }

  // From `template` to the bracket that closes its parameters.
  void skip_angles() {
    int angles = 0;
    int parentheses = 0;
    for (++at_; at_ < tokens_.size(); ++at_) {
      if (text(at_) == "(") ++parentheses;
      if (text(at_) == ")") --parentheses;
      if (parentheses > 0) continue;
      if (text(at_) == "<") ++angles;
      if (text(at_) == ">" && --angles == 0) return;
      if (text(at_) == ";" || text(at_) == "{") return;  // not a template's parameters
    }
  }

  void finish(std::size_t first) {
    const Tokens own = tokens_.subspan(first, at_ - first);
    if (own.empty()) {
      ++at_;
      return;
    }
    Declaration made;
    made.begin = own.front().begin;
    made.end = own.back().end;
    made.head_end = state_.in_body ? state_.head_end : made.end;
    made.names = std::move(state_.names);
    if (state_.in_body) made.kind = DeclarationKind::kFunction;
    if (state_.class_body > 0 && !state_.in_body) made.kind = DeclarationKind::kClass;
    see_words(own, made);
    if (made.kind == DeclarationKind::kClass) see_class(first, own, made);
    see_macros(first, made);
    found_.push_back(std::move(made));
    for (const Token& directive : inner_) add_directive(directive);
    inner_.clear();
  }

  void see_words(Tokens own, Declaration& made) const {
    bool host = false;
    for (const Token& token : own) {
      if (token.kind != TokenKind::kName) continue;
      made.uses.insert(token.text);
      if (token.begin >= made.head_end) continue;
      made.kernel =
          made.kernel || token.text == "__global__" || macros_.kernel.contains(token.text);
      made.for_device =
          made.for_device || is_device_word(token.text) || macros_.device.contains(token.text);
      host = host || token.text == "__host__";
    }
    made.for_device = made.for_device || made.kernel;
    const bool is_main =
        std::find(made.names.begin(), made.names.end(), "main") != made.names.end();
    // Classes and aliases only declare: they run nothing on the host.
    const bool is_alias =
        !state_.in_body && (own.front().text == "using" || own.front().text == "typedef");
    const bool runs = made.kind != DeclarationKind::kClass && !is_alias && runs_on_host(own);
    made.host_only = !made.for_device && (host || is_main || runs);
  }

  // A macro that is invoked declares what it expands to. A kernel's name may come from a macro in
  // its head.
  void see_macros(std::size_t first, Declaration& made) const {
    std::size_t last = first;
    bool in_head = false;
    for (; last + 1 < at_ && tokens_[last + 1].begin < made.head_end; ++last) {
      const auto macro = macros_.defined.find(text(last));
      in_head = in_head || (macro != macros_.defined.end() && macro->second.function_like &&
                            text(last + 1) == "(");
    }
    if (!state_.invoked && !(in_head && made.kernel && state_.in_body)) return;
    auto expansion = expanded(source_of(first, last), macros_, budget_);
    if (!expansion) return;
    if (!state_.invoked) *expansion += " {}";
    made.expansion = std::make_shared<const std::string>(std::move(*expansion));
    made.expanded = declarations_of(tokens_of(*made.expansion), Macros{});
    made.names.clear();
    for (const Declaration& one : made.expanded) {
      made.names.insert(made.names.end(), one.names.begin(), one.names.end());
      made.uses.insert(one.uses.begin(), one.uses.end());
      made.kernel = made.kernel || one.kernel;
      made.for_device = made.for_device || one.for_device;
    }
    made.host_only =
        !made.for_device && std::any_of(made.expanded.begin(), made.expanded.end(),
                                        [](const Declaration& one) { return one.host_only; });
  }

  // A class is for the device where a member says so, and in it each member is a declaration. An
  // enum's constants are names that it declares.
  void see_class(std::size_t first, Tokens own, Declaration& made) const {
    const bool is_enum =
        std::any_of(own.begin(), own.begin() + std::min<std::ptrdiff_t>(3, std::ssize(own)),
                    [](const Token& token) { return token.text == "enum"; });
    made.for_device = false;
    if (is_enum) {
      for (const Token& token : own) {
        if (token.kind == TokenKind::kName) made.names.push_back(token.text);
      }
      return;
    }
    std::size_t last = state_.class_body;
    int depth = 1;
    for (; last < first + own.size() && depth > 0; ++last) {
      if (text(last) == "{") ++depth;
      if (text(last) == "}") --depth;
    }
    const Tokens body = tokens_.subspan(state_.class_body, last - state_.class_body);
    made.members = Reader(body, macros_, budget_).run();
  }

  struct State {
    bool class_head = false;
    bool assigned = false;
    bool initialisers = false;
    bool in_body = false;
    bool invoked = false;  // it ends with a macro's invocation
    int parameters = 0;    // pairs of parentheses that may be a function's parameters
    std::size_t head_end = 0;
    std::size_t class_body = 0;  // the token behind its brace; 0: none
    std::vector<std::string_view> names;
  };

  Tokens tokens_;
  const Macros& macros_;
  std::size_t& budget_;
  std::size_t at_ = 0;
  State state_;
  std::vector<Token> inner_;
  std::vector<Declaration> found_;
};

}  // namespace

std::vector<Declaration> declarations_of(const std::vector<Token>& tokens, const Macros& macros) {
  std::size_t budget = kMostExpanded;
  return Reader(tokens, macros, budget).run();
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const Token& token : tokens_of(text)) {
    if (token.kind == TokenKind::kDirective) continue;
    const bool apart =
        token.begin > 0 && (text[token.begin - 1] == ' ' || text[token.begin - 1] == '\n' ||
                            text[token.begin - 1] == '\t');
    if (apart && !out.empty()) out += ' ';
    out += token.text;
  }
  return out;
}

// The parameters behind `template <`, split at their commas.
std::vector<std::string> template_parameters(std::string_view head) {
  const std::vector<Token> tokens = tokens_of(head);
  std::vector<std::string> found;
  if (tokens.size() < 3 || tokens[0].text != "template") return found;
  int depth = 0;
  std::size_t from = tokens[1].end;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "<" || text == "(") ++depth;
    const bool closes = (text == ">" || text == ")") && --depth == 0;
    if (!closes && !(text == "," && depth == 1)) continue;
    const std::string parameter = one_line(head.substr(from, tokens[i].begin - from));
    if (!parameter.empty()) found.push_back(parameter);
    from = tokens[i].end;
    if (closes) break;
  }
  return found;
}

}  // namespace lab::source
