// A page: what people see, before anybody lays it out. Whoever owns the facts makes it; printers
// (terminal, HTML, Markdown, JSON) know tables, tones and widths, and nothing of what is said. A
// page holds raw text and numbers: no escape sequence, no padding, no line end for layout. Printers
// escape, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/core/expression.h"

namespace lab::page {

enum class Tone : std::uint8_t { kPlain, kStrong, kDim, kGood, kNote, kBad };

/// How soon a part goes if there is no room: the greatest rank first.
enum class Rank : std::uint8_t {
  kAlways,
  kMain,
  kMore,
  kDetail,
  kOnRequest,  ///< folded, or shown where all was asked for
};

/// How a number is written.
enum class Digits : std::uint8_t {
  kExact,    ///< 16,384; six significant digits where it is not whole
  kBrief,    ///< three significant digits: 4.71
  kTenth,    ///< 3.2
  kWhole,    ///< 3
  kPercent,  ///< 63 %, of 0.63
};

/// A value, or an interval of values.
struct Number {
  double low = 0;
  double high = 0;
  std::string unit = {};
  Digits digits = Digits::kExact;
};

struct Cell {
  std::variant<std::monostate, std::string, Number> is = {};
  Tone tone = Tone::kPlain;
  std::string missing = {};  ///< why there is nothing: a dash stands for it, with this beside it
  bool marked = false;       ///< the worst of its column
  std::string beside = {};   ///< what there is to say of it where a reader points at it
};

struct Words {
  std::string text;
  Tone tone = Tone::kPlain;
};

struct Heading {
  int level = 1;
  std::string words;
  std::vector<std::string> facts = {};  ///< size, machine, file: beside the words, and less loud
};

enum class Role : std::uint8_t {
  kResult,  ///< what there is to say
  kItem,    ///< of a list
  kNote,    ///< to a table
  kBeside,  ///< of what stands above it, as its reason or its note
};

/// A sentence or more. Its first words may be louder than the rest.
struct Text {
  std::vector<Words> words;
  Role role = Role::kResult;
  std::string mark = {};  ///< before the first line, the others hang behind it: `1.`
  int indent = 0;         ///< characters before the mark: an item of an item's list
};

struct Column {
  std::string title;
  bool right = false;      ///< numbers below each other
  bool wraps = false;      ///< may be broken into lines where the table is too wide
  std::string group = {};  ///< neighbours of one group share a heading above their titles
  Rank rank = Rank::kAlways;
  bool bars = false;     ///< its numbers are drawn beside them
  bool leads = false;    ///< what a reader of a narrow page sees first
  bool instead = false;  ///< stands only where another column was left out
  bool names = false;  ///< says of whom the row is; of a table without such columns the first does
  std::string called = {};  ///< its name where it stands alone; empty: its group's and its title
  bool code = false;        ///< its texts are lines of somebody's source, as they are
  bool alike = false;       ///< in each row it has the number of the first column of its group
};

struct Row {
  std::vector<Cell> cells;
  std::vector<Words> below = {};  ///< lines of its own below the row
  /// From kMore on, its texts are not worth lines of their own; from kDetail on, it may go.
  Rank rank = Rank::kAlways;
};

/// It has no heading if no column has a title.
struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  bool may_turn = false;  ///< where there is room, rows stand side by side
};

/// Whether a line stays, goes or comes where a source changes.
enum class Sign : std::uint8_t { kStays, kGoes, kComes };

/// One line of somebody's source.
struct SourceLine {
  std::string file = {};
  int number = 0;  ///< from 1; 0: the line is not known
  std::string text = {};
  Sign sign = Sign::kStays;
};

/// Lines of somebody's source, as they are or as they change.
struct Source {
  std::vector<SourceLine> lines;
};

enum class RemarkKind : std::uint8_t { kMistake, kExpected, kNoMistake, kCost };

/// A remark on a place in a kernel: a mistake, or the cost of an access.
struct Remark {
  RemarkKind kind = RemarkKind::kMistake;
  std::string key = {};  ///< of the finding or rule: a tag for programs
  SourceLine at = {};
  std::string kernel = {};  ///< stands there where the line is not known
  std::string of = {};      ///< the cases that it is true of; empty: all that the page is about
  std::string says = {};    ///< who did what to which element
  std::uint64_t seen = 1;   ///< times; the first is told
  std::string cure = {};
};

/// Text of somebody else, as it is: a program's output, a compiler's words.
struct Code {
  std::string text;
};

struct Step {
  std::string words;
  std::string command = {};
};
/// The next steps, the nearest first.
struct Steps {
  std::vector<Step> items;
};

/// Somebody's place in a picture: the first of those who are there, and whether others are, too.
struct Square {
  int who = -1;  ///< -1: nobody
  bool shared = false;
};

struct GridRow {
  std::string label = {};  ///< an address, or the number of the row
  std::vector<Square> squares = {};
  std::vector<int> all = {};  ///< who is in it; told where there is no room in the squares
  Tone tone = Tone::kPlain;
  bool gap = false;  ///< what lies between it and the row above is left out
};

/// A picture of squares: which lane, or thread, is where.
struct Grid {
  std::string title = {};                 ///< for who cannot see it, and above it where it is drawn
  std::string of = {};                    ///< who is in the squares: lane
  std::string across = {};                ///< what a column is: bank
  std::string down = {};                  ///< what a row is; empty: like rows may be told as one
  std::vector<std::string> columns = {};  ///< their names; empty: squares are marks alone
  std::size_t together = 1;               ///< columns that no line break takes apart
  std::vector<GridRow> rows = {};
};

/// A formula, and how it comes to a number.
struct Formula {
  std::string title = {};                   ///< what it is of
  std::string of = {};                      ///< who has it; empty: all that the page is about
  std::variant<std::string, Expr> is = {};  ///< a text, where another version stored it
  std::optional<Expr> as_written = {};      ///< what the source asks for, where the code does else
  std::string at = {};                      ///< the example's point
  std::optional<Expr> filled = {};          ///< with that point's values
  std::string comes_to = {};                ///< their number
  std::string why = {};
};

enum class ChartKind : std::uint8_t {
  kSteps,   ///< one series, whose heights are powers of two: characters draw it, too
  kCurve,   ///< a line for each series
  kBars,    ///< a bar for each point of one series, by its name
  kPoints,  ///< one series of points, and what they are held against
};

struct Point {
  double x = 0;
  double y = 0;
  double high = 0;  ///< the upper end, where y is an interval
  std::string name = {};
};
struct Series {
  std::string name = {};
  std::vector<Point> points = {};
};
struct Axis {
  std::string title = {};
  bool log = false;
};

struct Chart {
  ChartKind kind = ChartKind::kCurve;
  std::string id = {};     ///< of its own in the page
  std::string title = {};  ///< above it
  std::string says = {};   ///< what it shows, for who cannot see it
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  std::vector<Series> against = {};
  bool named = false;  ///< points have their names beside them
};

struct Block;

/// Blocks that may be put away as one. Those that are share a sentence with all their names.
struct Fold {
  std::string name = {};
  std::string says = {};    ///< behind the name, where it is put away alone
  std::string before = {};  ///< of that sentence
  std::string after = {};
  std::vector<Block> blocks;  // clang 14 wants no value here, where Block is not whole
};

struct Block {
  std::variant<Heading, Text, Table, Source, Remark, Code, Grid, Steps, Formula, Chart, Fold> is;
  Rank rank = Rank::kMain;
  bool apart = false;  ///< a blank line above it
};

struct Page {
  std::vector<Block> blocks = {};
  int lines = 0;    ///< that it should take at most, as far as what may go allows it; 0: any number
  int columns = 0;  ///< likewise
};

}  // namespace lab::page
