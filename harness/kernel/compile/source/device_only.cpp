#include "harness/kernel/compile/source/device_only.h"

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

// Whether a declaration is kept though nothing names it.
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

// A text in place of what stands at [begin, end), on one line, with as many ends of line behind it
// as there were.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

// From the last to the first, so that offsets hold.
void apply(std::vector<Edit> edits, std::string& text) {
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
  for (Edit& edit : edits) {
    const std::string_view old = std::string_view(text).substr(edit.begin, edit.end - edit.begin);
    edit.text.append(static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n')), '\n');
    text.replace(edit.begin, edit.end - edit.begin, edit.text);
  }
}

// #include lines that were not left out, with the names that the files have.
std::vector<Edit> renamed_includes(const std::string& text,
                                   const std::map<const Declaration*, std::size_t>& resolved,
                                   const std::function<std::string(std::size_t)>& name_of) {
  std::vector<Edit> edits;
  for (const auto& [include, file] : resolved) {
    const std::string_view old =
        std::string_view(text).substr(include->begin, include->end - include->begin);
    if (trim(old).empty()) continue;
    edits.push_back({include->begin, include->end, "#include \"" + name_of(file) + "\""});
  }
  return edits;
}

bool makes_host_code(const Declaration& one) {
  return std::any_of(one.expanded.begin(), one.expanded.end(),
                     [](const Declaration& made) { return made.host_only; });
}

// A macro's expansion without the declarations in it that only the host uses.
Edit without_host_code(const Declaration& one) {
  std::string text = *one.expansion;
  for (const Declaration& made : one.expanded) {
    if (made.host_only) blank(text, made, one.expanded);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {one.begin, one.end, std::string(trim(text))};
}

}  // namespace

Program::Program(std::vector<File> files, const std::vector<std::string>& folders,
                 const WhereIs& where_is) {
  Macros macros;
  for (File& file : files) parts_.push_back({std::move(file)});
  for (const Part& part : parts_) add_macros(tokens_of(part.file.text), macros);
  for (Part& part : parts_) {
    part.declarations = declarations_of(tokens_of(part.file.text), macros);
    resolve_includes(part, folders, where_is);
  }
}

namespace {

// Whether a condition that may leave lines out is open. One that goes around a whole header, so
// that it is read once, leaves out nothing.
class OpenConditions {
 public:
  [[nodiscard]] bool any() const {
    return std::find(open_.begin(), open_.end(), true) != open_.end();
  }
  void see(std::string_view text, const Declaration& one, const Declaration* next) {
    if (one.kind != DeclarationKind::kDirective) return;
    const Directive directive = directive_of(text.substr(one.begin, one.end - one.begin));
    if (directive.name == "endif" && !open_.empty()) open_.pop_back();
    if (!directive.name.starts_with("if")) return;
    const bool guard = directive.name == "ifndef" && next != nullptr &&
                       next->kind == DeclarationKind::kMacro && !next->names.empty() &&
                       directive.rest.starts_with(next->names.front());
    open_.push_back(!guard);
  }

 private:
  std::vector<bool> open_;
};

int line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}

}  // namespace

void Program::resolve_includes(Part& part, const std::vector<std::string>& folders,
                               const WhereIs& where_is) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < parts_.size(); ++i) numbers[parts_[i].file.name] = i;
  OpenConditions conditions;
  const std::string_view text = part.file.text;
  for (std::size_t i = 0; i < part.declarations.size(); ++i) {
    Declaration& one = part.declarations[i];
    conditions.see(text, one,
                   i + 1 < part.declarations.size() ? &part.declarations[i + 1] : nullptr);
    if (one.kind != DeclarationKind::kInclude) continue;
    const HeaderName header = header_of(text.substr(one.begin, one.end - one.begin));
    const std::vector<std::string> names = candidates(header, part.file.name, folders);
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& name) { return numbers.contains(name); });
    if (found != names.end()) {
      part.resolved[&one] = numbers[*found];
      continue;
    }
    if (header.name.empty()) continue;
    const Header where = where_is(header);
    one.host_only = where == Header::kHost || where == Header::kNowhere;
    has_stub_ = has_stub_ || where == Header::kStub;
    if (where == Header::kNowhere && !conditions.any()) {
      missing_.push_back({header, {part.file.name, line_at(text, one.begin)}});
    }
  }
}

Program::~Program() = default;

bool Program::has_host_code() const {
  return has_stub_ || std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
           return std::any_of(
               part.declarations.begin(), part.declarations.end(), [](const Declaration& one) {
                 return one.host_only || has_host_members(one) || makes_host_code(one);
               });
         });
}

std::vector<Kernel> Program::kernels() const {
  std::vector<Kernel> found;
  const auto add = [&](std::string_view text, const Declaration& one) {
    if (!one.kernel || one.names.empty() || one.kind != DeclarationKind::kFunction) return;
    const std::string_view head = text.substr(one.begin, one.head_end - one.begin);
    found.push_back({std::string(one.names.front()), one_line(head), template_parameters(head)});
  };
  for (const Part& part : parts_) {
    for (const Declaration& one : part.declarations) {
      if (one.expansion == nullptr) add(part.file.text, one);
      for (const Declaration& made : one.expanded) add(*one.expansion, made);
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
    std::vector<Edit> edits;
    for (const Declaration& one : part.declarations) {
      const bool stays = one.kind == DeclarationKind::kInclude
                             ? !one.host_only && !is_gone(part, one)
                             : is_directive(one) || kept.contains(&one);
      if (stays) {
        blank_host_members(text, one, part.gone);
        if (makes_host_code(one)) edits.push_back(without_host_code(one));
      } else {
        blank(text, one, part.declarations);
      }
    }
    for (Edit& edit : renamed_includes(text, part.resolved,
                                       [&](std::size_t i) { return parts_[i].file.name; })) {
      edits.push_back(std::move(edit));
    }
    apply(std::move(edits), text);
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
    std::string& text = files.back().text;
    apply(renamed_includes(text, part.resolved, name_of), text);
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
    others_left_out_ = others_left_out_ || one->for_device;
    for (const std::string_view name : one->names) left_out_.emplace(name);
    return true;
  }
  return false;
}

}  // namespace lab::source
