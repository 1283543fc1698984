#include "harness/kernel/cubin/lines.h"

#include <algorithm>

namespace lab::cubin {

namespace {

struct Header {
  std::size_t end = 0;  // of the unit
  std::size_t program = 0;
  std::uint8_t min_instruction = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> lengths;  // operands of the standard opcodes
};

// NVIDIA's extended opcode: what comes next was inlined into the row with this number.
constexpr std::uint8_t kInlinedCall = 0x90;

// The source line shown for a row of the table. Inlined code is seen from the file that it was
// inlined into.
struct Shown {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t outermost_file = 0;
};

// One unit of the section: its header, files and program.
class Unit {
 public:
  Unit(Bytes section, std::size_t start,
       const std::unordered_map<std::uint64_t, Elf::Target>& targets, LineTable& table)
      : section_(section), targets_(targets), table_(table), start_(start) {}

  // Runs the program and returns where the next unit starts.
  std::size_t run() {
    if (!read_header()) return section_.size();
    Reader reader(section_.first(header_.end), header_.program);
    while (!reader.done()) step(reader);
    return header_.end;
  }

 private:
  bool read_header() {
    Reader reader(section_, start_);
    const std::uint64_t length = reader.u32();
    if (!reader.ok() || length > section_.size() - reader.at()) return false;
    header_.end = reader.at() + static_cast<std::size_t>(length);
    const std::uint16_t version = reader.u16();
    const std::uint64_t header_length = reader.u32();
    if (header_length > header_.end - std::min(header_.end, reader.at())) return false;
    header_.program = reader.at() + static_cast<std::size_t>(header_length);
    header_.min_instruction = reader.u8();
    reader.u8();  // default of is_stmt
    header_.line_base = static_cast<std::int8_t>(reader.u8());
    header_.line_range = reader.u8();
    header_.opcode_base = reader.u8();
    for (int i = 1; i < header_.opcode_base; ++i) header_.lengths.push_back(reader.u8());
    if (!reader.ok() || version < 2 || version > 3 || header_.line_range == 0) return false;
    read_files(reader);
    return reader.ok();
  }

  void read_files(Reader& reader) {
    std::vector<std::string> folders{""};
    while (reader.at() < header_.program) {
      const std::string_view folder = reader.text();
      if (folder.empty()) break;
      folders.emplace_back(folder);
    }
    files_.push_back(0);
    while (reader.at() < header_.program) {
      const std::string_view name = reader.text();
      if (name.empty()) break;
      const std::uint64_t folder = reader.uleb();
      reader.uleb();  // time
      reader.uleb();  // length
      const bool in_folder = folder > 0 && folder < folders.size() && name[0] != '/';
      files_.push_back(static_cast<std::uint32_t>(table_.files.size()));
      table_.files.push_back((in_folder ? folders[folder] + "/" : "") + std::string(name));
    }
  }

  void step(Reader& reader) {
    const std::uint8_t opcode = reader.u8();
    if (opcode >= header_.opcode_base) {
      special(static_cast<std::uint8_t>(opcode - header_.opcode_base));
    } else if (opcode == 0) {
      extended(reader);
    } else {
      standard(opcode, reader);
    }
  }

  void special(std::uint8_t adjusted) {
    advance(adjusted / header_.line_range);
    line_ += static_cast<std::uint32_t>(header_.line_base + adjusted % header_.line_range);
    emit();
  }

  void standard(std::uint8_t opcode, Reader& reader) {
    switch (opcode) {
      case 1:  // copy
        return emit();
      case 2:  // advance_pc
        return advance(reader.uleb());
      case 3:  // advance_line
        line_ += static_cast<std::uint32_t>(reader.sleb());
        return;
      case 4:  // set_file
        file_ = reader.uleb();
        return;
      case 8:  // const_add_pc
        return advance((255U - header_.opcode_base) / header_.line_range);
      case 9:  // fixed_advance_pc
        address_ += reader.u16();
        return;
      default:
        for (int i = 0; i < header_.lengths[opcode - 1U]; ++i) reader.uleb();
    }
  }

  void extended(Reader& reader) {
    const std::uint64_t length = reader.uleb();
    const std::size_t field = reader.at() + 1;
    Reader inside(reader.take(length));
    switch (inside.u8()) {
      case 1:  // end_sequence
        address_ = 0;
        line_ = 1;
        file_ = 1;
        caller_ = 0;
        shown_.clear();
        return;
      case 2:  // set_address
        return set_address(field, inside.u64());
      case kInlinedCall:
        caller_ = inside.uleb();
        return;
      default:  // 0x91 names the function
        return;
    }
  }

  void set_address(std::size_t field, std::uint64_t constant) {
    const auto it = targets_.find(field);
    known_section_ = it != targets_.end();
    if (!known_section_) return;
    code_ = it->second.section;
    address_ = it->second.address + constant;
  }

  void advance(std::uint64_t count) { address_ += count * header_.min_instruction; }

  void emit() {
    const std::uint32_t file = file_ < files_.size() ? files_[file_] : 0;
    Shown shown{file, line_, file};
    // The caller is an earlier row of the sequence, from 1; 0: the code was not inlined.
    if (caller_ > 0 && caller_ <= shown_.size()) {
      const Shown& caller = shown_[caller_ - 1];
      shown.outermost_file = caller.outermost_file;
      if (line_ == 0 || file != caller.outermost_file) shown = caller;
    }
    shown_.push_back(shown);
    if (known_section_) table_.rows[code_].push_back({address_, shown.file, shown.line});
  }

  Bytes section_;
  const std::unordered_map<std::uint64_t, Elf::Target>& targets_;
  LineTable& table_;
  std::size_t start_;
  Header header_;
  std::vector<std::uint32_t> files_;
  std::vector<Shown> shown_;  // by row of the sequence
  bool known_section_ = false;
  std::uint16_t code_ = 0;
  std::uint64_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
  std::uint64_t caller_ = 0;
};

}  // namespace

const LineRow* LineTable::find(std::uint16_t section, std::uint64_t address) const {
  const auto found = rows.find(section);
  if (found == rows.end()) return nullptr;
  const std::vector<LineRow>& list = found->second;
  const auto after =
      std::upper_bound(list.begin(), list.end(), address,
                       [](std::uint64_t a, const LineRow& row) { return a < row.address; });
  return after == list.begin() ? nullptr : &*(after - 1);
}

LineTable read_lines(const Elf& elf, std::string_view name) {
  LineTable table;
  table.files.emplace_back();
  const Section* section = elf.find(name);
  if (section == nullptr) return table;
  const auto targets = elf.targets_of(name);
  for (std::size_t at = 0; at < section->data.size();) {
    at = Unit(section->data, at, targets, table).run();
  }
  for (auto& [code, rows] : table.rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const LineRow& a, const LineRow& b) { return a.address < b.address; });
  }
  return table;
}

}  // namespace lab::cubin
