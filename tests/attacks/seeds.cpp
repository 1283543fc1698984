#include "tests/attacks/seeds.h"

#include <elf.h>
#include <minizip/zip.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace lab::attacks {
namespace {

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// As tests/unit/programs/fat_binary_test.cpp has them.
std::string entry(std::uint16_t kind, const std::string& code, std::uint64_t flags = 0,
                  std::uint64_t unpacked = 0) {
  return raw(kind) + raw(std::uint16_t{257}) + raw(std::uint32_t{64}) +
         raw(std::uint64_t{code.size()}) + raw(static_cast<std::uint32_t>(code.size())) +
         raw(std::uint32_t{0}) + raw(std::uint32_t{0x00090000}) + raw(std::uint32_t{90}) +
         raw(std::uint64_t{0}) + raw(flags) + raw(std::uint64_t{0}) + raw(unpacked) + code;
}
std::string container(const std::string& entries) {
  return raw(std::uint32_t{0xba55ed50U}) + raw(std::uint16_t{1}) + raw(std::uint16_t{16}) +
         raw(std::uint64_t{entries.size()}) + entries;
}

// A Zstandard frame of one raw block: RFC 8878, 3.1.1.
std::string as_zstd(const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return raw(std::uint32_t{0xfd2fb528U}) + raw(std::uint8_t{0xa0}) + raw(size) +
         raw(size << 3U | 1U).substr(0, 3) + text;
}
// One sequence of literals.
std::string as_lz4(const std::string& text) {
  std::string packed = "\xf0";
  std::size_t left = text.size() - 15;
  for (; left >= 255; left -= 255) packed += '\xff';
  return packed + static_cast<char>(left) + text;
}

struct Section {
  const char* name;
  std::uint32_t type;
  std::string bytes;
  std::uint32_t link = 0;
};

std::string elf(const std::vector<Section>& sections) {
  std::string names(1, '\0');
  std::string bodies;
  std::string heads;
  for (const Section& one : sections) {
    Elf64_Shdr head = {};
    head.sh_name = static_cast<std::uint32_t>(names.size());
    head.sh_type = one.type;
    head.sh_addr = 0x400000 + bodies.size();
    head.sh_offset = sizeof(Elf64_Ehdr) + bodies.size();
    head.sh_size = one.bytes.size();
    head.sh_link = one.link;
    names += std::string(one.name) + '\0';
    bodies += one.bytes;
    heads += raw(head);
  }
  Elf64_Shdr own = {};  // the names of all sections, its own left out
  own.sh_type = SHT_STRTAB;
  own.sh_offset = sizeof(Elf64_Ehdr) + bodies.size();
  own.sh_size = names.size();
  Elf64_Ehdr file = {};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_shoff = sizeof file + bodies.size() + names.size();
  file.e_shentsize = sizeof(Elf64_Shdr);
  file.e_shnum = static_cast<std::uint16_t>(sections.size() + 1);
  file.e_shstrndx = static_cast<std::uint16_t>(sections.size());
  return raw(file) + bodies + names + heads + raw(own);
}

std::string with_device_code(const std::string& code) {
  const std::string names("\0libcudart.so.13\0cudaMalloc\0clock\0main\0", 41);
  const auto symbol = [](std::uint32_t name, std::uint16_t section) {
    Elf64_Sym one = {};
    one.st_name = name;
    one.st_shndx = section;
    return raw(one);
  };
  const auto needs = [](std::int64_t tag, std::uint64_t value) {
    Elf64_Dyn one = {};
    one.d_tag = tag;
    one.d_un.d_val = value;
    return raw(one);
  };
  return elf(
      {{"", SHT_NULL, ""},
       {".dynstr", SHT_STRTAB, names},
       {".dynsym", SHT_DYNSYM, symbol(0, 0) + symbol(17, 0) + symbol(28, 0) + symbol(34, 1), 1},
       {".dynamic", SHT_DYNAMIC, needs(DT_NEEDED, 1) + needs(DT_NULL, 0), 1},
       {".symtab", SHT_SYMTAB, symbol(17, 0) + symbol(34, 1), 1},
       {".nv_fatbin", SHT_PROGBITS, code}});
}

}  // namespace

std::vector<std::string> programs(const std::string& ptx) {
  constexpr std::uint64_t kLz4 = 0x2000;
  constexpr std::uint64_t kZstd = 0x8000;
  const std::string text = ptx + '\0';
  return {with_device_code(container(entry(2, "machine code") + entry(1, text))),
          with_device_code(container(entry(1, as_lz4(text), kLz4, text.size()))),
          with_device_code(container(entry(1, as_zstd(text), kZstd, text.size())))};
}

std::vector<std::string> zips(const std::filesystem::path& folder) {
  const std::vector<std::vector<std::pair<const char*, std::string>>> all = {
      {{"ada.cu", "__global__ void k() {}\n"}},
      {{"ada/kernels.cu", std::string(3000, 'x')}, {"ada/more/helper.cuh", "#pragma once\n"}},
      {{"bob_12_34_x.cu", "int a;\n"}, {"carl_late_13_35_y.cu", ""}, {"d/", ""}}};
  std::vector<std::string> made;
  const std::string path = (folder / "seed.zip").string();
  for (const auto& files : all) {
    for (const int level : {0, 6}) {
      const zipFile archive = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
      for (const auto& [name, text] : files) {
        zip_fileinfo info = {};
        zipOpenNewFileInZip(archive, name, &info, nullptr, 0, nullptr, 0, nullptr,
                            level == 0 ? 0 : Z_DEFLATED, level);
        zipWriteInFileInZip(archive, text.data(), static_cast<unsigned>(text.size()));
        zipCloseFileInZip(archive);
      }
      zipClose(archive, nullptr);
      std::ifstream file(path, std::ios::binary);
      made.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  std::filesystem::remove(path);
  return made;
}

}  // namespace lab::attacks
