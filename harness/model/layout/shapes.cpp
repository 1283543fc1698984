#include "harness/model/layout/shapes.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::layout {

namespace {

constexpr std::uint64_t kLanes = 32;

enum class Shape : std::uint8_t { kRow, kColumn, kMatrix };

struct Asked {
  Shape shape = Shape::kRow;
  bool store = false;
  std::uint64_t bytes = 0;  ///< per lane
};

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw input_error(fmt::format("--access {}: {}", text, why),
                    "row, column or matrix; store:column is a store, column:16 takes 16 bytes per "
                    "lane");
}

Asked parse(std::string_view text, const Tile& tile) {
  Asked asked;
  asked.bytes = tile.element;
  bool named = false;
  for (const std::string_view part : split(text, ':')) {
    if (part == "store" && !named) {
      asked.store = true;
    } else if (!named && (part == "row" || part == "column" || part == "matrix")) {
      named = true;
      asked.shape = part == "row"      ? Shape::kRow
                    : part == "column" ? Shape::kColumn
                                       : Shape::kMatrix;
      if (asked.shape == Shape::kMatrix) asked.bytes = kMatrixRowBytes;
    } else {
      const auto [end, error] =
          std::from_chars(part.data(), part.data() + part.size(), asked.bytes);
      if (!named || error != std::errc() || end != part.data() + part.size()) {
        refuse(text, fmt::format("'{}' is not known", part));
      }
    }
  }
  if (!named) refuse(text, "it names no order");
  return asked;
}

void check(std::string_view text, const Asked& asked, const Tile& tile) {
  const std::uint64_t row = tile.columns * tile.element;
  const std::uint64_t bytes = asked.bytes;
  const bool power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  if (!power) refuse(text, fmt::format("a lane takes 1, 2, 4, 8 or 16 bytes, not {}", bytes));
  if (asked.shape == Shape::kMatrix && bytes != kMatrixRowBytes) {
    refuse(text, "a matrix has rows of 16 bytes");
  }
  if (bytes % tile.element != 0) {
    refuse(text,
           fmt::format("{} bytes are no whole number of elements of {}", bytes, tile.element));
  }
  if (row % bytes != 0) {
    refuse(text, fmt::format("rows of {} bytes are no whole number of parts of {}", row, bytes));
  }
  if (asked.shape == Shape::kMatrix && (tile.rows % 16 != 0 || row % (2 * bytes) != 0)) {
    refuse(text, "needs a multiple of 16 rows, and of 32 bytes in each");
  }
}

class Warps {
 public:
  Warps(const Asked& asked, const Tile& tile, int site) : asked_(asked), tile_(tile), site_(site) {}

  std::vector<Use> all() {
    const std::uint64_t parts = tile_.columns * tile_.element / asked_.bytes;  // of a row
    const std::uint64_t count = parts * tile_.rows;
    for (std::uint64_t first = 0; first < count; first += kLanes) {
      Use use = empty();
      for (std::uint64_t lane = 0; lane < kLanes && first + lane < count; ++lane) {
        const auto [row, part] = place(first + lane, parts);
        use.offset[lane] =
            static_cast<std::int64_t>(row * tile_.columns * tile_.element + part * asked_.bytes);
      }
      uses_.push_back(use);
    }
    return std::move(uses_);
  }

 private:
  struct Place {
    std::uint64_t row;
    std::uint64_t part;
  };

  // The how-many-th lane of all is where.
  [[nodiscard]] Place place(std::uint64_t number, std::uint64_t parts) const {
    switch (asked_.shape) {
      case Shape::kRow:
        return {number / parts, number % parts};
      case Shape::kColumn:
        return {number % tile_.rows, number / tile_.rows};
      default: {
        // Four matrices of 8 x 16 bytes: two below each other, two beside those.
        const std::uint64_t lane = number % kLanes;
        const std::uint64_t block = number / kLanes;
        const std::uint64_t across = parts / 2;
        return {block / across * 16 + lane % 16, block % across * 2 + lane / 16};
      }
    }
  }

  [[nodiscard]] Use empty() const {
    Use use;
    use.rule = asked_.shape == Shape::kMatrix ? CostRule::kSharedRows
               : asked_.store                 ? CostRule::kSharedStore
                                              : CostRule::kSharedLoad;
    use.bytes = static_cast<std::uint32_t>(asked_.bytes);
    use.unit = use.bytes;
    use.offset.fill(-1);
    use.site = site_;
    return use;
  }

  Asked asked_;
  Tile tile_;
  int site_;
  std::vector<Use> uses_;
};

}  // namespace

std::vector<Use> uses_of(std::string_view text, const Tile& tile, int site) {
  const Asked asked = parse(text, tile);
  check(text, asked, tile);
  return Warps(asked, tile, site).all();
}

}  // namespace lab::layout
