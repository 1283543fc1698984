#include "tools/cli/json/json_page.h"

#include <array>
#include <string_view>
#include <variant>

#include "harness/page/fields.h"

namespace lab::cli {

namespace {

template <Described Part>
Json part_json(const Part& part);

Json part_json(const page::Block& block);
Json part_json(const std::string& text) { return text; }
Json part_json(int number) { return number; }
Json part_json(const page::Square& square) {
  if (square.who < 0) return nullptr;
  return {{"who", square.who}, {"shared", square.shared}};
}

Json part_json(const page::Cell& cell) {
  Json json = Json::object();
  if (const auto* number = std::get_if<page::Number>(&cell.is)) {
    json["low"] = number_json(number->low);
    json["high"] = number_json(number->high);
    if (!number->unit.empty()) json["unit"] = number->unit;
  } else if (const auto* text = std::get_if<std::string>(&cell.is)) {
    json["text"] = *text;
  } else {
    json["text"] = nullptr;
    if (!cell.missing.empty()) json["missing"] = cell.missing;
  }
  if (!cell.beside.empty()) json["beside"] = cell.beside;
  if (cell.tone != page::Tone::kPlain) json["tone"] = word_of(cell.tone);
  return json;
}

Json part_json(const Expr& formula) { return formula.text_with_terms(); }
Json part_json(const page::Formula& formula) {
  const auto known = [](const std::optional<Expr>& one) {
    return one ? part_json(*one) : Json(nullptr);
  };
  return {{"title", formula.title},
          {"of", text_json(formula.of)},
          {"is", std::visit([](const auto& is) { return part_json(is); }, formula.is)},
          {"as_written", known(formula.as_written)},
          {"at", text_json(formula.at)},
          {"filled", known(formula.filled)},
          {"comes_to", text_json(formula.comes_to)},
          {"why", text_json(formula.why)}};
}

template <typename Member>
Json own_json(const Member& member, Trait trait) {
  if constexpr (Described<Member>) {
    return part_json(member);
  } else if constexpr (Worded<Member>) {
    return word_of(member);
  } else if constexpr (std::is_same_v<Member, page::Rank>) {
    return static_cast<int>(member);
  } else {
    return member_json(member, trait);
  }
}
template <typename One>
Json own_json(const std::vector<One>& members, Trait /*trait*/) {
  Json list = Json::array();
  for (const One& one : members) list.push_back(part_json(one));
  return list;
}

template <Described Part>
Json part_json(const Part& part) {
  Json json = Json::object();
  visit_fields(part, [&](const auto& field, const auto& member) {
    if (!field.json.empty()) json[std::string(field.json)] = own_json(member, field.trait);
  });
  return json;
}

// The kinds stand in the order of a block's alternatives.
constexpr std::array<std::string_view, 11> kKinds = {"heading", "text",  "table", "source",
                                                     "remark",  "code",  "grid",  "steps",
                                                     "formula", "chart", "fold"};
static_assert(std::variant_size_v<decltype(page::Block::is)> == kKinds.size());

Json part_json(const page::Block& block) {
  Json json = Json::object();
  std::visit(
      [&](const auto& is) {
        json["kind"] = kKinds.at(block.is.index());
        json["rank"] = static_cast<int>(block.rank);
        json.update(part_json(is));
      },
      block.is);
  return json;
}

}  // namespace

Json page_json(const page::Page& page) { return own_json(page.blocks, Trait::kNone); }

}  // namespace lab::cli
