#include "harness/kernel/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/kernel/ptx/cfg.h"
#include "harness/kernel/ptx/cursor.h"
#include "harness/kernel/ptx/grammar.h"

namespace lab::ptx {

namespace {

class Parser {
 public:
  explicit Parser(const Source& source) : cursor_(source) {
    module_.name = source.name;
    module_.files.emplace_back();
    for (const std::string_view line : source.lines) module_.lines.emplace_back(line);
  }

  Module run() {
    while (!cursor_.at_end()) {
      if (!cursor_.accept(';')) statement();
    }
    if (module_.version.empty()) {
      throw cursor_.fail("this text has no .version directive", "is it PTX?");
    }
    return std::move(module_);
  }

 private:
  void statement() {
    const Token& start = cursor_.peek();
    const bool is_extern = skip_linking(cursor_);
    const Token& token =
        cursor_.expect(Token::Kind::kDot, "a directive such as .entry, .func or .global");
    if (token.text == "entry" || token.text == "func") return function(token.text == "entry");
    if (const auto space = declared_space(token.text)) return variables(*space, is_extern);
    if (&token != &start) {
      throw cursor_.fail(token, fmt::format("'.{}' can't be linked", token.text));
    }
    header(token);
  }

  void header(const Token& token) {
    if (token.text == "version") {
      module_.version = cursor_.expect(Token::Kind::kNumber, "a version such as 9.0").text;
    } else if (token.text == "target") {
      target();
    } else if (token.text == "address_size") {
      address_size();
    } else if (token.text == "file") {
      file();
    } else if (token.text == "section") {
      section();
    } else if (token.text == "pragma" || token.text == "alias") {
      cursor_.skip_statement();
    } else {
      throw cursor_.fail(token, fmt::format("unknown directive '.{}'", token.text));
    }
  }

  void target() {
    module_.target = cursor_.expect(Token::Kind::kWord, "a target such as sm_90").text;
    while (cursor_.accept(',')) cursor_.next();
  }

  void address_size() {
    const Token& token = cursor_.peek();
    if (parse_unsigned(cursor_, "an address size", 64) == 64) return;
    throw cursor_.fail(token, "only 64-bit addresses are modelled", "compile for 64 bits");
  }

  // .file 1 "/path/a.cu", 1700000000, 4711
  void file() {
    const std::uint64_t number = parse_unsigned(cursor_, "a file's number", UINT32_MAX);
    const Token& path = cursor_.expect(Token::Kind::kString, "a file's name");
    // A compiler puts the folder that it runs in before the source's own name.
    const bool own = path.text.ends_with("/" + module_.name);
    if (number != 0) {
      module_.files[file_index(module_, names_, number)] =
          own ? module_.name : std::string(path.text);
    }
    while (cursor_.accept(',')) cursor_.next();
  }

  // Debug data: .section .debug_info { ... }
  void section() {
    cursor_.next();
    if (!cursor_.is('{')) throw cursor_.fail("expected '{' after the name of a section");
    cursor_.skip_braces();
  }

  void variables(Space space, bool is_extern) {
    for (Declared& declared : parse_variables(cursor_, space, is_extern)) {
      add_variable(std::move(declared));
    }
  }

  // `.extern` declarations of a variable may come before its definition.
  void add_variable(Declared declared) {
    const auto fresh = static_cast<std::uint32_t>(module_.variables.size());
    const auto [it, added] = names_.variables.emplace(declared.name.text, fresh);
    if (added) return module_.variables.push_back(std::move(declared.variable));
    Variable& known = module_.variables[it->second];
    if (!known.is_extern && !declared.variable.is_extern) {
      throw cursor_.fail(declared.name, fmt::format("'{}' is declared twice", declared.name.text));
    }
    if (known.is_extern) known = std::move(declared.variable);
  }

  void function(bool is_entry) {
    Function function;
    function.is_entry = is_entry;
    if (cursor_.is_dot("attribute")) {
      cursor_.next();
      cursor_.skip_parentheses();
    }
    if (!is_entry && cursor_.is('(')) function.results = take(parse_params(cursor_, true));
    const Token& name = cursor_.expect(Token::Kind::kWord, "the name of a function");
    function.name = name.text;
    if (cursor_.is('(')) function.params = take(parse_params(cursor_, !is_entry));
    performance(function);
    function.is_defined = cursor_.is('{');
    const std::uint32_t index = declare(name, function);
    if (!function.is_defined) return cursor_.expect(';', "after the declaration");
    parse_body(cursor_, module_, names_, function);
    build_blocks(function);
    module_.functions[index] = std::move(function);
  }

  // The name is known before the body, which may call the function itself.
  std::uint32_t declare(const Token& name, const Function& function) {
    const auto fresh = static_cast<std::uint32_t>(module_.functions.size());
    const auto [it, added] = names_.functions.emplace(name.text, fresh);
    if (added) {
      module_.functions.push_back(function);
      return fresh;
    }
    const Function& known = module_.functions[it->second];
    if (known.is_defined && function.is_defined) {
      throw cursor_.fail(name, fmt::format("function '{}' is defined twice", name.text));
    }
    if (!same_shape(known.params, function.params) ||
        !same_shape(known.results, function.results)) {
      throw cursor_.fail(
          name, fmt::format("function '{}' was declared with other parameters", name.text));
    }
    return it->second;
  }

  static bool same_shape(const std::vector<Variable>& a, const std::vector<Variable>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Variable& x, const Variable& y) { return x.bytes == y.bytes; });
  }

  static std::vector<Variable> take(std::vector<Declared> declared) {
    std::vector<Variable> variables;
    variables.reserve(declared.size());
    for (Declared& one : declared) variables.push_back(std::move(one.variable));
    return variables;
  }

  // .maxntid 256, 1, 1 .minnctapersm 2 .noreturn .pragma "...";
  void performance(Function& function) {
    while (cursor_.is(Token::Kind::kDot)) {
      const Token& token = cursor_.next();
      if (token.text == "pragma") {
        cursor_.skip_statement();
        continue;
      }
      const std::array<std::uint32_t, 3> sizes = numbers();
      if (token.text == "maxntid") function.max_threads = sizes[0] * sizes[1] * sizes[2];
      if (token.text == "reqntid") function.required_block = sizes;
      if (token.text == "reqnctapercluster") function.cluster = sizes;
    }
  }

  std::array<std::uint32_t, 3> numbers() {
    constexpr std::uint64_t kMost = 1024;
    std::array<std::uint32_t, 3> sizes{1, 1, 1};
    for (std::size_t i = 0; i < 3 && cursor_.is(Token::Kind::kNumber); ++i) {
      sizes.at(i) = static_cast<std::uint32_t>(parse_unsigned(cursor_, "a block's size", kMost));
      if (!cursor_.accept(',')) break;
    }
    return sizes;
  }

  Cursor cursor_;
  Module module_;
  ModuleNames names_;
};

}  // namespace

Module parse(std::string_view text, std::string name) {
  const Source source = make_source(text, std::move(name));
  return Parser(source).run();
}

}  // namespace lab::ptx
