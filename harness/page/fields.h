// The fields of a page's parts: its JSON is made from them, and none can be forgotten.
#pragma once

#include <array>

#include "harness/core/describe.h"
#include "harness/core/words.h"
#include "harness/page/page.h"

namespace lab {

template <>
inline constexpr auto kWordsOf<page::Tone> =
    std::to_array<std::string_view>({"plain", "strong", "dim", "good", "note", "bad"});
template <>
inline constexpr auto kWordsOf<page::Role> = std::to_array<std::string_view>({"result", "item",
                                                                              "beside"});
template <>
inline constexpr auto kWordsOf<page::Sign> = std::to_array<std::string_view>({" ", "-", "+"});
template <>
inline constexpr auto kWordsOf<page::RemarkKind> =
    std::to_array<std::string_view>({"mistake", "expected", "no_mistake", "cost"});

template <>
inline constexpr auto kFieldsOf<page::Words> =
    described<page::Words>(field("text", &page::Words::text), field("tone", &page::Words::tone));
template <>
inline constexpr auto kFieldsOf<page::Heading> = described<page::Heading>(
    field("level", &page::Heading::level), field("words", &page::Heading::words),
    field("facts", &page::Heading::facts));
template <>
inline constexpr auto kFieldsOf<page::Text> = described<page::Text>(
    field("words", &page::Text::words), field("role", &page::Text::role),
    field("mark", &page::Text::mark, Trait::kNullable), field("indent", &page::Text::indent));
template <>
inline constexpr auto kFieldsOf<page::Column> = described<page::Column>(
    field("title", &page::Column::title), field("right", &page::Column::right, Trait::kNone, ""),
    field("wraps", &page::Column::wraps, Trait::kNone, ""), field("group", &page::Column::group),
    field("rank", &page::Column::rank), field("bars", &page::Column::bars),
    field("leads", &page::Column::leads, Trait::kNone, ""),
    field("instead", &page::Column::instead, Trait::kNone, ""),
    field("names", &page::Column::names, Trait::kNone, ""),
    field("called", &page::Column::called, Trait::kNone, ""),
    field("code", &page::Column::code, Trait::kNone, ""),
    field("alike", &page::Column::alike, Trait::kNone, ""));
template <>
inline constexpr auto kFieldsOf<page::Row> = described<page::Row>(field("cells", &page::Row::cells),
                                                                  field("below", &page::Row::below),
                                                                  field("rank", &page::Row::rank));
template <>
inline constexpr auto kFieldsOf<page::Table> = described<page::Table>(
    field("columns", &page::Table::columns), field("rows", &page::Table::rows),
    field("may_turn", &page::Table::may_turn, Trait::kNone, ""));
template <>
inline constexpr auto kFieldsOf<page::SourceLine> =
    described<page::SourceLine>(field("file", &page::SourceLine::file, Trait::kNullable),
                                field("number", &page::SourceLine::number, Trait::kNullable),
                                field("text", &page::SourceLine::text, Trait::kNullable),
                                field("sign", &page::SourceLine::sign));
template <>
inline constexpr auto kFieldsOf<page::Source> =
    described<page::Source>(field("lines", &page::Source::lines));
template <>
inline constexpr auto kFieldsOf<page::Remark> = described<page::Remark>(
    field("about", &page::Remark::kind), field("key", &page::Remark::key),
    field("at", &page::Remark::at), field("kernel", &page::Remark::kernel, Trait::kNullable),
    field("of", &page::Remark::of, Trait::kNullable), field("says", &page::Remark::says),
    field("seen", &page::Remark::seen), field("cure", &page::Remark::cure, Trait::kNullable));
template <>
inline constexpr auto kFieldsOf<page::Code> = described<page::Code>(field("text",
                                                                          &page::Code::text));
template <>
inline constexpr auto kFieldsOf<page::Square> = described<page::Square>(
    field("who", &page::Square::who), field("shared", &page::Square::shared));
template <>
inline constexpr auto kFieldsOf<page::GridRow> = described<page::GridRow>(
    field("label", &page::GridRow::label), field("squares", &page::GridRow::squares),
    field("all", &page::GridRow::all), field("tone", &page::GridRow::tone),
    field("gap", &page::GridRow::gap));
template <>
inline constexpr auto kFieldsOf<page::Grid> = described<page::Grid>(
    field("title", &page::Grid::title), field("of", &page::Grid::of),
    field("across", &page::Grid::across), field("down", &page::Grid::down),
    field("columns", &page::Grid::columns),
    field("together", &page::Grid::together, Trait::kNone, ""), field("rows", &page::Grid::rows));
template <>
inline constexpr auto kFieldsOf<page::Step> = described<page::Step>(
    field("words", &page::Step::words), field("command", &page::Step::command, Trait::kNullable));
template <>
inline constexpr auto kFieldsOf<page::Steps> = described<page::Steps>(field("items",
                                                                            &page::Steps::items));

template <>
inline constexpr auto kWordsOf<page::ChartKind> =
    std::to_array<std::string_view>({"steps", "curve", "bars", "points"});

template <>
inline constexpr auto kFieldsOf<page::Point> = described<page::Point>(
    field("x", &page::Point::x), field("y", &page::Point::y), field("high", &page::Point::high),
    field("name", &page::Point::name, Trait::kNullable));
template <>
inline constexpr auto kFieldsOf<page::Series> = described<page::Series>(
    field("name", &page::Series::name), field("points", &page::Series::points));
template <>
inline constexpr auto kFieldsOf<page::Axis> =
    described<page::Axis>(field("title", &page::Axis::title), field("log", &page::Axis::log));
template <>
inline constexpr auto kFieldsOf<page::Chart> = described<page::Chart>(
    field("drawn", &page::Chart::kind), field("id", &page::Chart::id),
    field("title", &page::Chart::title), field("says", &page::Chart::says),
    field("x", &page::Chart::x), field("y", &page::Chart::y), field("series", &page::Chart::series),
    field("against", &page::Chart::against), field("named", &page::Chart::named));
template <>
inline constexpr auto kFieldsOf<page::Fold> = described<page::Fold>(
    field("name", &page::Fold::name), field("says", &page::Fold::says, Trait::kNullable),
    field("before", &page::Fold::before, Trait::kNone, ""),
    field("after", &page::Fold::after, Trait::kNone, ""), field("blocks", &page::Fold::blocks));

}  // namespace lab
