#include "harness/run/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "harness/core/bits.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/kernel/ptx/outline.h"

namespace lab::run {

namespace {

constexpr std::string_view kArgHint =
    "write i32=5, f32=1.5, f32[1024]=iota, u32[64]=random:7 or f64[100]=@data.bin";

// More than any card or machine holds: a slip of the finger, told before anything is allocated.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

struct Cursor {
  std::string what;  // `--arg`
  std::string text;
  std::string whole = {};  // that `text` is a part of; empty: it is all
  std::size_t before = 0;  // what comes before it there

  [[nodiscard]] Error error(std::size_t column, const std::string& message,
                            std::string hint = std::string(kArgHint)) const {
    const int shift = static_cast<int>(what.size()) + 1;
    const std::string& shown = whole.empty() ? text : whole;
    return input_error(
        message, std::move(hint),
        Place{"", 0, static_cast<int>(column + before) + 1 + shift, what + " " + shown});
  }

  // A part of the text, without the blanks around it.
  [[nodiscard]] Cursor part(std::size_t from, std::size_t to) const {
    while (from < to && text[from] == ' ') ++from;
    while (from < to && text[to - 1] == ' ') --to;
    return {what, text.substr(from, to - from), whole.empty() ? text : whole, before + from};
  }
};

template <typename T>
T number(const Cursor& cursor, std::size_t from, std::size_t to) {
  T value{};
  const char* first = cursor.text.data() + from;
  const char* last = cursor.text.data() + to;
  const auto [end, code] = std::from_chars(first, last, value);
  if (code == std::errc::result_out_of_range) throw cursor.error(from, "number out of range");
  if (code != std::errc{} || end != last || first == last) {
    throw cursor.error(from, std::is_floating_point_v<T> ? "not a number" : "not a whole number");
  }
  return value;
}

bool is_signed(ElementType type) {
  return type == ElementType::kI8 || type == ElementType::kI16 || type == ElementType::kI32 ||
         type == ElementType::kI64;
}

std::uint64_t truth(const Cursor& cursor, std::size_t from) {
  const std::string text = cursor.text.substr(from);
  if (text == "1" || text == "true") return 1;
  if (text == "0" || text == "false") return 0;
  throw cursor.error(from, "a bool is true or false");
}

std::uint64_t scalar_bits(const Cursor& cursor, ElementType type, std::size_t from) {
  const std::size_t to = cursor.text.size();
  if (type == ElementType::kF32) {
    return std::bit_cast<std::uint32_t>(number<float>(cursor, from, to));
  }
  if (type == ElementType::kF64) {
    return std::bit_cast<std::uint64_t>(number<double>(cursor, from, to));
  }
  if (type == ElementType::kF16) return f16_bits(number<float>(cursor, from, to));
  if (type == ElementType::kBf16) return bf16_bits(number<float>(cursor, from, to));
  if (type == ElementType::kBool) return truth(cursor, from);
  const auto width = static_cast<int>(8 * size_of(type));
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (is_signed(type)) {
    const auto value = number<std::int64_t>(cursor, from, to);
    const std::int64_t most = static_cast<std::int64_t>(mask >> 1);
    if (value > most || value < -most - 1) throw cursor.error(from, "number out of range");
    return static_cast<std::uint64_t>(value) & mask;
  }
  const auto value = number<std::uint64_t>(cursor, from, to);
  if (value > mask) throw cursor.error(from, "number out of range");
  return value;
}

std::vector<std::byte> file_bytes(const Cursor& cursor, std::size_t column, const std::string& path,
                                  std::uint64_t want) {
  const std::string hint = "a file holds exactly the buffer's elements, raw little-endian";
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (!failed && size != want) {
    throw cursor.error(column, fmt::format("'{}' has {} bytes, the buffer {}", path, size, want),
                       hint);
  }
  try {
    const std::string text = read_file(path, "the contents", want);
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    if (bytes.size() == want) return bytes;
    throw input_error(fmt::format("'{}' has {} bytes, the buffer {}", path, bytes.size(), want));
  } catch (const Error& error) {
    throw cursor.error(column, error.what(), hint);
  }
}

Fill fill_of(const Cursor& cursor, std::size_t from, std::uint64_t bytes) {
  const std::string text = cursor.text.substr(from);
  const std::vector<std::string> known = {"zero", "ones", "iota", "random:SEED", "@FILE"};
  if (text == "zero") return {Fill::Kind::kZero, 1, {}};
  if (text == "ones") return {Fill::Kind::kOnes, 1, {}};
  if (text == "iota") return {Fill::Kind::kIota, 1, {}};
  if (text.starts_with("random:")) {
    const std::size_t seed = from + std::string_view("random:").size();
    return {Fill::Kind::kRandom, number<std::uint64_t>(cursor, seed, cursor.text.size()), {}};
  }
  if (text.starts_with("@")) {
    return {Fill::Kind::kBytes, 1, file_bytes(cursor, from, text.substr(1), bytes)};
  }
  throw cursor.error(from, fmt::format("unknown contents '{}'", text), suggestion(text, known));
}

ElementType type_at(const Cursor& cursor, std::size_t to) {
  try {
    return element_type(cursor.text.substr(0, to));
  } catch (const Error& error) {
    throw cursor.error(0, error.what(), error.hint());
  }
}

}  // namespace

Dim3 parse_dim3(const std::string& option, const std::string& text) {
  const Cursor cursor{option, text};
  const std::string hint = fmt::format("write {0} 4 or {0} 4,2 or {0} 4,2,1", option);
  std::uint32_t size[3] = {1, 1, 1};
  std::size_t from = 0;
  for (std::size_t i = 0;; ++i) {
    if (i == 3) throw cursor.error(from, "more than three sizes", hint);
    const std::size_t comma = std::min(text.find(',', from), text.size());
    try {
      size[i] = number<std::uint32_t>(cursor, from, comma);
    } catch (const Error& error) {
      throw cursor.error(from, error.what(), hint);
    }
    if (size[i] == 0) throw cursor.error(from, "a size is 1 or more", hint);
    if (comma == text.size()) break;
    from = comma + 1;
  }
  return {size[0], size[1], size[2]};
}

namespace {

ArgSpec scalar_or_buffer(const Cursor& cursor, const std::string& name) {
  const std::string& text = cursor.text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw cursor.error(text.size(), "expected '='");
  const std::size_t bracket = text.find('[');
  if (bracket == std::string::npos || bracket > equals) {
    const ElementType type = type_at(cursor, equals);
    return ScalarSpec{type, scalar_bits(cursor, type, equals + 1)};
  }
  if (text[equals - 1] != ']') throw cursor.error(equals - 1, "expected ']'");
  BufferSpec buffer;
  buffer.name = name;
  buffer.type = type_at(cursor, bracket);
  buffer.direction = Direction::kInOut;
  buffer.count = number<std::uint64_t>(cursor, bracket + 1, equals - 1);
  if (buffer.count == 0) throw cursor.error(bracket + 1, "a buffer has 1 element or more");
  if (buffer.count > kMostBytes / size_of(buffer.type)) {
    throw cursor.error(bracket + 1, "a buffer of more than 1 TiB");
  }
  buffer.fill = fill_of(cursor, equals + 1, buffer.count * size_of(buffer.type));
  return buffer;
}

// Textures and surfaces, by the word that stands before the colon.
struct ImageRow {
  std::string_view name;
  ImageSpec::Kind kind;
  ImageSpec::Outside outside;
  int dimensions;
  std::uint32_t most_width;
  std::uint32_t most_height;
};
using ImageKind = ImageSpec::Kind;
using Outside = ImageSpec::Outside;
// The largest: CUDA C++ Programming Guide, "Compute Capabilities", of 7.5 and newer.
constexpr std::uint32_t kMostLinear = 1U << 28U;
constexpr ImageRow kImages[] = {
    {"tex1dfetch", ImageKind::kLinear, Outside::kBorder, 1, kMostLinear, 0},
    {"tex1d", ImageKind::kTexture, Outside::kClamp, 1, 131072, 0},
    {"tex1d-border", ImageKind::kTexture, Outside::kBorder, 1, 131072, 0},
    {"tex2d", ImageKind::kTexture, Outside::kClamp, 2, 131072, 65536},
    {"tex2d-border", ImageKind::kTexture, Outside::kBorder, 2, 131072, 65536},
    {"surf1d", ImageKind::kSurface, Outside::kBorder, 1, 32768, 0},
    {"surf2d", ImageKind::kSurface, Outside::kBorder, 2, 131072, 65536},
};
constexpr std::string_view kImageHint =
    "write tex1dfetch:f32[1024]=iota, tex1d:u8[256]=random:7, tex2d:f32x4[64x48]=iota, "
    "tex2d-border:f32[64x48]=@data.bin or surf2d:f32[64x48]=zero";

bool is_element_type(const std::string& name) {
  try {
    (void)element_type(name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

const ImageRow& image_row(const Cursor& cursor, std::size_t colon) {
  const std::string name = cursor.text.substr(0, colon);
  if (is_element_type(name)) {
    throw cursor.error(
        colon, "expected '=' or '['",
        fmt::format("write {}=5 for a number, {}[1024]=iota for a buffer", name, name));
  }
  std::vector<std::string> names;
  for (const ImageRow& row : kImages) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw cursor.error(0, fmt::format("unknown kind of texture or surface '{}'", name),
                     suggestion(name, names));
}

// Where the type ends in `f32x4[64]`, whose texels have four channels.
std::size_t type_end(const Cursor& cursor, std::size_t bracket, std::uint32_t& channels) {
  if (bracket < 2 || cursor.text[bracket - 2] != 'x') return bracket;
  channels = number<std::uint32_t>(cursor, bracket - 1, bracket);
  if (channels != 1 && channels != 2 && channels != 4) {
    throw cursor.error(bracket - 1, "a texel has 1, 2 or 4 channels", std::string(kImageHint));
  }
  return bracket - 2;
}

ElementType image_type(const Cursor& cursor, std::size_t end) {
  const ElementType type = type_at(cursor, end);
  const bool fits = size_of(type) <= 4 && type != ElementType::kBf16 && type != ElementType::kBool;
  if (fits) return type;
  throw cursor.error(
      0, fmt::format("textures and surfaces have no elements of {}", lab::name_of(type)),
      "use i8, u8, i16, u16, i32, u32, f16 or f32");
}

// The width, or width and height, in the text's [from, to).
ImageSpec image_size(const Cursor& cursor, const ImageRow& row, std::size_t from, std::size_t to) {
  ImageSpec image{row.kind, row.outside};
  const std::size_t cross = std::min(cursor.text.find('x', from), to);
  const bool plane = row.dimensions == 2;
  if ((cross < to) != plane) {
    throw cursor.error(from,
                       plane ? "it has two dimensions, such as 64x48" : "it has one dimension",
                       std::string(kImageHint));
  }
  image.width = number<std::uint32_t>(cursor, from, cross);
  if (plane) image.height = number<std::uint32_t>(cursor, cross + 1, to);
  const bool empty = image.width == 0 || (plane && image.height == 0);
  if (!empty && image.width <= row.most_width && image.height <= row.most_height) return image;
  const std::string most = plane ? fmt::format("1x1 to {}x{}", row.most_width, row.most_height)
                                 : fmt::format("1 to {}", row.most_width);
  throw cursor.error(from, fmt::format("it has {} texels", most), std::string(kImageHint));
}

// The text after the colon.
BufferSpec image_of(const Cursor& cursor, const ImageRow& row, const std::string& name) {
  const std::size_t equals = cursor.text.find('=');
  const std::size_t bracket = cursor.text.find('[');
  if (equals == std::string::npos || bracket > equals || cursor.text[equals - 1] != ']') {
    throw cursor.error(0, "expected a type, a size in brackets and '='", std::string(kImageHint));
  }
  BufferSpec buffer;
  ImageSpec image = image_size(cursor, row, bracket + 1, equals - 1);
  buffer.name = name;
  buffer.type = image_type(cursor, type_end(cursor, bracket, image.channels));
  buffer.direction = row.kind == ImageKind::kSurface ? Direction::kInOut : Direction::kIn;
  buffer.count = std::uint64_t{image.width} * std::max(image.height, 1U) * image.channels;
  buffer.fill = fill_of(cursor, equals + 1, buffer.count * size_of(buffer.type));
  buffer.image = image;
  return buffer;
}

// The parts between the commas of `{...}`, which the cursor's text is from `open` on.
std::vector<Cursor> fields_at(const Cursor& cursor, std::size_t open) {
  const std::string& text = cursor.text;
  if (text.back() != '}') throw cursor.error(text.size(), "expected '}'");
  std::vector<Cursor> fields;
  int depth = 0;
  std::size_t from = open + 1;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}') --depth;
    const bool ends = depth == 0 || (depth == 1 && text[i] == ',');
    if (!ends) continue;
    fields.push_back(cursor.part(from, i));
    if (fields.back().text.empty()) throw cursor.error(from, "expected a value");
    from = i + 1;
    if (depth == 0 && from != text.size()) throw cursor.error(from, "expected nothing more");
  }
  return fields;
}

constexpr std::size_t kPointer = 8;

// A value with the alignment that a struct gives it.
struct Value {
  ArgSpec spec;
  std::size_t align = kPointer;
};

class Reader {
 public:
  explicit Reader(Job& probe) : probe_(probe) {}

  Value read(const Cursor& cursor, const std::string& name) {
    const std::string& text = cursor.text;
    if (text.starts_with("{")) return structure(cursor, name);
    if (text.starts_with("ptr[")) return pointers(cursor, name);
    if (text.starts_with("arg")) return {into_argument(cursor), kPointer};
    const std::size_t colon = text.find(':');
    if (colon < text.find_first_of("[={")) {
      return {image_of(cursor.part(colon + 1, text.size()), image_row(cursor, colon), name),
              kPointer};
    }
    ArgSpec spec = scalar_or_buffer(cursor, name);
    const auto* scalar = std::get_if<ScalarSpec>(&spec);
    const std::size_t align = scalar == nullptr ? kPointer : size_of(scalar->type);
    return {std::move(spec), align};
  }

 private:
  // Each field at the next multiple of its alignment, as C++ lays a struct out.
  Value structure(const Cursor& cursor, const std::string& name) {
    BytesSpec made;
    std::size_t align = 1;
    for (std::size_t at = 0; const Cursor& field : fields_at(cursor, 0)) {
      const Value value = read(field, fmt::format("{}.{}", name, at++));
      made.bytes.resize(round_up(made.bytes.size(), value.align));
      append(value.spec, made);
      align = std::max(align, value.align);
    }
    made.bytes.resize(round_up(made.bytes.size(), align));
    return {std::move(made), align};
  }

  void append(const ArgSpec& spec, BytesSpec& into) {
    const std::size_t at = into.bytes.size();
    if (const auto* buffer = std::get_if<BufferSpec>(&spec)) {
      into.bytes.resize(at + kPointer);
      into.pointers.push_back({at, buffer->name, 0});
      probe_.buffers.push_back(*buffer);
    } else if (const auto* bytes = std::get_if<BytesSpec>(&spec)) {
      into.bytes.insert(into.bytes.end(), bytes->bytes.begin(), bytes->bytes.end());
      for (PointerSpec pointer : bytes->pointers) {
        pointer.at += at;
        into.pointers.push_back(std::move(pointer));
      }
    } else {
      const auto& scalar = std::get<ScalarSpec>(spec);
      const auto* from = reinterpret_cast<const std::byte*>(&scalar.bits);
      into.bytes.insert(into.bytes.end(), from, from + size_of(scalar.type));
    }
  }

  Value pointers(const Cursor& cursor, const std::string& name) {
    const std::size_t open = cursor.text.find("]={");
    if (open == std::string::npos) throw cursor.error(cursor.text.size(), "expected ']={'");
    BytesSpec made;
    for (std::size_t at = 0; const Cursor& field : fields_at(cursor, open + 2)) {
      const Value value = read(field, fmt::format("{}.{}", name, at++));
      if (std::holds_alternative<ScalarSpec>(value.spec)) {
        throw field.error(0, "not a buffer: an array of pointers has buffers and arguments");
      }
      append(value.spec, made);
    }
    BufferSpec buffer;
    buffer.name = name;
    buffer.type = ElementType::kU64;
    buffer.direction = Direction::kInOut;
    buffer.count = number<std::uint64_t>(cursor, 4, open);
    if (buffer.count * kPointer != made.bytes.size()) {
      throw cursor.error(4, fmt::format("{} pointers are given", made.bytes.size() / kPointer));
    }
    buffer.fill = {Fill::Kind::kBytes, 1, std::move(made.bytes)};
    buffer.pointers = std::move(made.pointers);
    return {std::move(buffer), kPointer};
  }

  // arg0, or arg0+16: behind 16 elements of it.
  BytesSpec into_argument(const Cursor& cursor) {
    constexpr std::size_t kFrom = 3;
    const std::size_t plus = std::min(cursor.text.find('+'), cursor.text.size());
    const auto index = number<std::uint32_t>(cursor, kFrom, plus);
    const auto* buffer =
        index < probe_.args.size() ? std::get_if<BufferSpec>(&probe_.args[index]) : nullptr;
    if (buffer == nullptr) {
      throw cursor.error(0, fmt::format("there is no buffer arg{} before this", index));
    }
    std::uint64_t elements = 0;
    if (plus < cursor.text.size()) {
      elements = number<std::uint64_t>(cursor, plus + 1, cursor.text.size());
    }
    if (buffer->image) throw cursor.error(0, "a texture or surface has no address");
    if (elements > buffer->count) throw cursor.error(plus + 1, "past the buffer's end");
    return {std::vector<std::byte>(kPointer),
            {{0, buffer->name, elements * size_of(buffer->type)}}};
  }

  Job& probe_;
};

}  // namespace

ArgSpec parse_arg(int number_of_arg, const std::string& text) {
  return scalar_or_buffer({"--arg", text}, fmt::format("arg{}", number_of_arg));
}

void add_arg(const std::string& text, Job& probe) {
  if (text.empty()) throw Cursor{"--arg", text}.error(0, "expected a value");
  const std::string name = fmt::format("arg{}", probe.args.size());
  probe.args.push_back(Reader(probe).read({"--arg", text}, name).spec);
}

void add_symbol(const std::string& text, Job& probe) {
  const Cursor cursor{"--symbol", text};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw cursor.error(std::min(equals, text.size()), "expected NAME=VALUE",
                       "write --symbol scale=f32=1.5 or --symbol 'filter=f32[9]=ones'");
  }
  SymbolSpec symbol{text.substr(0, equals), {}};
  const ArgSpec value = Reader(probe).read(cursor.part(equals + 1, text.size()), symbol.name).spec;
  if (const auto* buffer = std::get_if<BufferSpec>(&value)) {
    if (buffer->image) {
      throw cursor.error(equals + 1, "a variable that holds a texture or surface is a struct",
                         "put it in braces: NAME={tex2d:f32[64x48]=iota}");
    }
    // An array lies in the variable itself; a pointer variable is a struct of one field.
    symbol.value = {initial_bytes(*buffer), buffer->pointers};
  } else if (const auto* bytes = std::get_if<BytesSpec>(&value)) {
    symbol.value = *bytes;
  } else {
    const auto& scalar = std::get<ScalarSpec>(value);
    const auto* from = reinterpret_cast<const std::byte*>(&scalar.bits);
    symbol.value.bytes.assign(from, from + size_of(scalar.type));
  }
  probe.symbols.push_back(std::move(symbol));
}

void require_symbols(const Compiled& compiled, const Job& probe) {
  if (probe.symbols.empty()) return;
  std::vector<std::string> names;
  for (const ptx::Outline::Variable& one : ptx::outline(compiled.ptx).variables) {
    if (one.space == ptx::Space::kShared) continue;
    names.emplace_back(one.name);
    names.push_back(symbol_name(names.back()));
  }
  for (const SymbolSpec& symbol : probe.symbols) {
    if (std::find(names.begin(), names.end(), symbol.name) != names.end()) continue;
    throw input_error(
        fmt::format("no kernel uses a __constant__ or __device__ variable '{}'", symbol.name),
        suggestion(symbol.name, names));
  }
}

Dump parse_dump(const std::string& text, const Job& probe) {
  const Cursor cursor{"--dump", text};
  const std::string hint =
      "write --dump 1=out.bin; arguments are counted from 0, and so are a struct's fields: "
      "2.0=x.bin";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw cursor.error(text.size(), "expected N=FILE", hint);
  }
  const std::size_t dot = std::min(text.find('.'), equals);
  const auto index = number<std::uint32_t>(cursor, 0, dot);
  if (index >= probe.args.size()) {
    throw cursor.error(0, fmt::format("there is no argument {}", index), hint);
  }
  const std::string fields = text.substr(dot, equals - dot);
  std::string name = fmt::format("arg{}{}", index, fields);
  const auto* buffer = std::get_if<BufferSpec>(&probe.args[index]);
  if (buffer != nullptr && fields.empty()) name = buffer->name;  // the kernel's name for it
  if (!buffers_of(probe).contains(name)) {
    const std::string field = fields.empty() ? "" : fmt::format(", field {}", fields.substr(1));
    throw cursor.error(0, fmt::format("argument {}{} is not a buffer", index, field), hint);
  }
  return {name, text.substr(equals + 1)};
}

}  // namespace lab::run
