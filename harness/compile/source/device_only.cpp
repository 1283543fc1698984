#include "harness/compile/source/device_only.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/core/text.h"

namespace lab::source {

struct Program::Part {
  File file;
  std::vector<Declaration> declarations = {};
  std::vector<const Declaration*> gone = {};                // by leave_out()
  std::map<const Declaration*, std::size_t> resolved = {};  // #include lines to the files they mean
};

namespace {

using Names = std::set<std::string_view>;

bool uses(const Declaration& declaration, std::string_view name) {
  return declaration.uses.contains(name);
}

// What stands by itself: it is kept though nothing names it.
bool is_root(const Declaration& declaration) {
  if (declaration.host_only) return false;
  return declaration.for_device || uses(declaration, "static_assert") ||
         (uses(declaration, "using") && uses(declaration, "namespace"));
}

bool is_directive(const Declaration& declaration) {
  return declaration.kind == DeclarationKind::kDirective ||
         declaration.kind == DeclarationKind::kMacro ||
         declaration.kind == DeclarationKind::kInclude;
}

bool names_one_of(const Declaration& declaration, const Names& names) {
  return std::any_of(declaration.names.begin(), declaration.names.end(),
                     [&](std::string_view name) { return names.contains(name); });
}

// Directives within what goes stay: conditions must remain balanced.
void blank(std::string& text, const Declaration& gone, const std::vector<Declaration>& all) {
  std::vector<const Declaration*> stay;
  for (const Declaration& other : all) {
    if (is_directive(other) && other.kind != DeclarationKind::kInclude &&
        other.begin >= gone.begin && other.end <= gone.end) {
      stay.push_back(&other);
    }
  }
  const auto within = [&](std::size_t at) {
    return std::any_of(stay.begin(), stay.end(), [&](const Declaration* other) {
      return other->begin <= at && at < other->end;
    });
  };
  for (std::size_t at = gone.begin; at < gone.end; ++at) {
    if (text[at] != '\n' && text[at] != '\r' && !within(at)) text[at] = ' ';
  }
}

void blank_host_members(std::string& text, const Declaration& owner,
                        const std::vector<const Declaration*>& gone) {
  for (const Declaration& member : owner.members) {
    const bool is_gone = std::find(gone.begin(), gone.end(), &member) != gone.end();
    const bool runs_on_host = member.kind == DeclarationKind::kFunction && member.host_only;
    if (is_gone || runs_on_host) {
      blank(text, member, owner.members);
    } else {
      blank_host_members(text, member, gone);
    }
  }
}

bool has_host_members(const Declaration& owner) {
  return std::any_of(owner.members.begin(), owner.members.end(), [](const Declaration& member) {
    return (member.kind == DeclarationKind::kFunction && member.host_only) ||
           has_host_members(member);
  });
}

// The innermost declaration around [from, to) that can go without another meaning for what stays.
// Of those for the device, the ones in `free` can.
const Declaration* removable(const std::vector<Declaration>& declarations, std::size_t from,
                             std::size_t to, bool members,
                             const std::set<const Declaration*>& free) {
  for (const Declaration& one : declarations) {
    if (one.begin >= to || one.end <= from || one.kind == DeclarationKind::kMacro ||
        one.kind == DeclarationKind::kDirective) {
      continue;
    }
    if (const Declaration* inner = removable(one.members, from, to, true, free)) return inner;
    const bool layout = members && one.kind != DeclarationKind::kFunction;
    if ((!one.for_device && !layout) || free.contains(&one)) return &one;
  }
  return nullptr;
}

// From the last to the first, so that offsets hold.
void rename_includes(std::string& text, const std::map<const Declaration*, std::size_t>& resolved,
                     const std::function<std::string(std::size_t)>& name_of) {
  std::vector<std::pair<const Declaration*, std::size_t>> last_first(resolved.begin(),
                                                                     resolved.end());
  std::sort(last_first.begin(), last_first.end(),
            [](const auto& a, const auto& b) { return a.first->begin > b.first->begin; });
  for (const auto& [include, file] : last_first) {
    std::string line = "#include \"" + name_of(file) + "\"";
    const std::string_view old =
        std::string_view(text).substr(include->begin, include->end - include->begin);
    line.append(static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n')), '\n');
    if (trim(old).empty()) continue;  // it was left out
    text.replace(include->begin, include->end - include->begin, line);
  }
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

}  // namespace

Program::Program(std::vector<File> files, std::vector<std::string> folders,
                 const std::function<bool(std::string_view)>& known) {
  Macros macros;
  for (File& file : files) parts_.push_back({std::move(file)});
  for (const Part& part : parts_) add_macros(tokens_of(part.file.text), macros);
  for (Part& part : parts_) {
    part.declarations = declarations_of(tokens_of(part.file.text), macros);
    resolve_includes(part, folders, known);
  }
}

void Program::resolve_includes(Part& part, const std::vector<std::string>& folders,
                               const std::function<bool(std::string_view)>& known) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < parts_.size(); ++i) numbers[parts_[i].file.name] = i;
  for (Declaration& one : part.declarations) {
    if (one.kind != DeclarationKind::kInclude) continue;
    const HeaderName header =
        header_of(std::string_view(part.file.text).substr(one.begin, one.end - one.begin));
    const std::vector<std::string> names = candidates(header, part.file.name, folders);
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& name) { return numbers.contains(name); });
    if (found != names.end()) {
      part.resolved[&one] = numbers[*found];
    } else {
      one.host_only = !header.name.empty() && !known(header.name);
    }
  }
}

Program::~Program() = default;

bool Program::has_host_code() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
    return std::any_of(
        part.declarations.begin(), part.declarations.end(),
        [](const Declaration& one) { return one.host_only || has_host_members(one); });
  });
}

std::vector<Kernel> Program::kernels() const {
  std::vector<Kernel> found;
  for (const Part& part : parts_) {
    for (const Declaration& one : part.declarations) {
      if (!one.kernel || one.names.empty() || one.kind != DeclarationKind::kFunction) continue;
      const std::string_view head =
          std::string_view(part.file.text).substr(one.begin, one.head_end - one.begin);
      found.push_back({std::string(one.names.front()), one_line(head), template_parameters(head)});
    }
  }
  return found;
}

std::vector<File> Program::device_only(const std::vector<std::string>& roots) const {
  const auto is_gone = [](const Part& part, const Declaration& one) {
    return std::find(part.gone.begin(), part.gone.end(), &one) != part.gone.end();
  };
  Names named;
  for (const std::string& root : roots) {
    for (const Token& token : tokens_of(root)) named.insert(token.text);
  }
  std::set<const Declaration*> kept;
  const auto keep = [&](const Declaration& one) {
    if (kept.insert(&one).second) named.insert(one.uses.begin(), one.uses.end());
  };
  for (std::size_t before = 1, after = 0; before != after;) {
    before = kept.size() + named.size();
    for (const Part& part : parts_) {
      for (const Declaration& one : part.declarations) {
        if (one.host_only || is_gone(part, one)) continue;
        if (is_root(one) || names_one_of(one, named)) keep(one);
      }
    }
    after = kept.size() + named.size();
  }
  std::vector<File> files;
  for (const Part& part : parts_) {
    files.push_back(part.file);
    std::string& text = files.back().text;
    for (const Declaration& one : part.declarations) {
      const bool stays = one.kind == DeclarationKind::kInclude
                             ? !one.host_only && !is_gone(part, one)
                             : is_directive(one) || kept.contains(&one);
      if (stays) {
        blank_host_members(text, one, part.gone);
      } else {
        blank(text, one, part.declarations);
      }
    }
    rename_includes(text, part.resolved, [&](std::size_t i) { return parts_[i].file.name; });
  }
  return files;
}

std::vector<File> Program::whole() const {
  return renamed([&](std::size_t i) { return parts_[i].file.name; });
}

std::vector<File> Program::renamed(const std::function<std::string(std::size_t)>& name_of) const {
  std::vector<File> files;
  for (const Part& part : parts_) {
    files.push_back(part.file);
    rename_includes(files.back().text, part.resolved, name_of);
  }
  return files;
}

std::set<const Declaration*> Program::not_named_by(const std::vector<std::string>& kernels) const {
  if (kernels.empty()) return {};
  Names named;
  for (const std::string& kernel : kernels) {
    for (const Token& token : tokens_of(kernel)) named.insert(token.text);
  }
  std::set<const Declaration*> reached;
  for (std::size_t before = 1, after = 0; before != after;) {
    before = reached.size();
    for (const Part& part : parts_) {
      for (const Declaration& one : part.declarations) {
        if (!names_one_of(one, named) || !reached.insert(&one).second) continue;
        named.insert(one.uses.begin(), one.uses.end());
      }
    }
    after = reached.size();
  }
  std::set<const Declaration*> others;
  for (const Part& part : parts_) {
    for (const Declaration& one : part.declarations) {
      if (one.for_device && !reached.contains(&one)) others.insert(&one);
    }
  }
  return others;
}

bool Program::leave_out(std::string_view file, int line, const std::vector<std::string>& kernels) {
  const std::set<const Declaration*> others = not_named_by(kernels);
  for (Part& part : parts_) {
    if (part.file.name != file) continue;
    const std::string_view wanted = line_of(part.file.text, line);
    if (wanted.empty()) return false;
    const auto from = static_cast<std::size_t>(wanted.data() - part.file.text.data());
    const Declaration* one =
        removable(part.declarations, from, from + wanted.size(), false, others);
    if (one == nullptr) return false;
    if (std::find(part.gone.begin(), part.gone.end(), one) != part.gone.end()) return false;
    part.gone.push_back(one);
    for (const std::string_view name : one->names) left_out_.emplace(name);
    return true;
  }
  return false;
}

}  // namespace lab::source
