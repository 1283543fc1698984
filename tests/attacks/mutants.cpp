// Files that others write, changed at random: each is read, or refused as bad input, soon. Without
// a fuzzer's feedback, so that any build of any compiler runs it: under sanitizers, too.
//
//   mutants TRIES [KIND [TRY]]     that many of each kind, or of one, or from one try on
//
// Exit status 1: something else came of a file; its kind and number are said, and make it again.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "harness/classes/grade/assignment.h"
#include "harness/classes/grade/roster.h"
#include "harness/classes/grade/rubric.h"
#include "harness/classes/grade/unzip.h"
#include "harness/core/error.h"
#include "harness/kernel/cubin/cubin.h"
#include "harness/kernel/ptx/parser.h"
#include "harness/labs/lab_file.h"
#include "harness/labs/registry.h"
#include "harness/ncu/report.h"
#include "harness/programs/build/load.h"
#include "tests/attacks/seeds.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kSlow = 10;  // seconds, of one file, also under a sanitizer

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> files_in(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& one : fs::recursive_directory_iterator(folder)) {
    if (one.path().filename().string().ends_with(ending)) paths.push_back(one.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) texts.push_back(bytes_of(path));
  return texts;
}

/// Where numbers of a format lie, the values that break readers.
std::uint64_t odd_number(std::mt19937_64& random) {
  constexpr std::uint64_t kOdd[] = {
      0,      1,          7,          0x7f,       0x80,        0xff,        0x7fff,
      0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 40U, 1ULL << 63U, ~std::uint64_t{0}};
  return kOdd[random() % std::size(kOdd)];
}

void change_once(std::string& text, const std::string& other, std::mt19937_64& random) {
  const auto at = [&](const std::string& in) { return in.empty() ? 0 : random() % in.size(); };
  const std::size_t some = 1 + random() % 64;
  switch (random() % 9) {
    case 0:
      if (!text.empty()) text[at(text)] = static_cast<char>(random());
      return;
    case 1:
      if (!text.empty()) text[at(text)] ^= static_cast<char>(1U << (random() % 8));
      return;
    case 2:
      text.resize(at(text));
      return;
    case 3:
      text.erase(at(text), some);
      return;
    case 4: {
      const std::string piece = text.substr(at(text), some);
      text.insert(at(text), piece);
      return;
    }
    case 5: {
      const std::string piece = other.substr(at(other), some);
      text.insert(at(text), piece);
      return;
    }
    case 6: {  // a number in binary
      const std::uint64_t number = odd_number(random);
      const std::size_t width = std::size_t{1} << (random() % 4);
      const std::size_t place = at(text);
      for (std::size_t i = 0; i < width && place + i < text.size(); ++i) {
        text[place + i] = static_cast<char>(number >> (8 * i));
      }
      return;
    }
    case 7: {  // a number in digits
      const std::size_t place = text.find_first_of("0123456789", at(text));
      if (place == std::string::npos) return;
      const std::size_t end = std::min(text.find_first_not_of("0123456789", place), text.size());
      text.replace(place, end - place, std::to_string(odd_number(random)));
      return;
    }
    default:
      text.insert(at(text), some * 64, text.empty() ? 'x' : text[at(text)]);
  }
}

std::string mutant(const std::vector<std::string>& seeds, std::mt19937_64& random) {
  std::string text = seeds[random() % seeds.size()];
  const std::string& other = seeds[random() % seeds.size()];
  for (auto changes = 1 + random() % 6; changes > 0; --changes) change_once(text, other, random);
  return text;
}

lab::BinaryQuestion question_of(lab::BinaryKind kind, const std::string& text) {
  lab::BinaryQuestion question{"a.out", kind};
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  question.bytes.assign(begin, begin + text.size());
  question.arch = "sm_90";
  question.known = {"cudaMalloc"};
  return question;
}

/// A folder of this run's, gone behind it.
struct Scratch {
  fs::path path = fs::temp_directory_path() / fmt::format("lab_mutants_{}", ::getpid());
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
};

struct Kind {
  const char* name;
  std::vector<std::string> seeds;
  std::function<void(const std::string&)> read;
};

void read_zip(const fs::path& folder, const std::string& text) {
  const fs::path file = folder / "in.zip";
  std::ofstream(file, std::ios::binary) << text;
  const fs::path out = folder / "out";
  fs::create_directories(out);
  lab::grade::UnzipBounds left{std::uint64_t{1} << 20U, 50};
  static_cast<void>(lab::grade::unzip(file.string(), out, left));
  // Nothing lies beside the two.
  const auto beside = std::distance(fs::directory_iterator(folder), {});
  fs::remove_all(out);
  if (beside != 2) throw lab::internal_error("a zip wrote outside of its folder");
}

std::vector<Kind> kinds(const fs::path& root, const fs::path& folder) {
  const std::vector<std::string> ptx = files_in(root / "tests/fixtures/ptx", ".ptx");
  const std::vector<std::string> rubrics = files_in(root / "labs/04_transpose", "rubric.toml");
  const std::string page = bytes_of(root / "tools/readers/grader.md");
  const std::size_t begin = page.find("```toml\n") + 8;
  const std::string program = page.substr(begin, page.find("```", begin) - begin);
  const lab::Lab& graded = lab::find_lab("4");
  return {
      {"PTX", ptx,
       [](const std::string& text) { static_cast<void>(lab::ptx::parse(text, "k.ptx")); }},
      {"CUBIN and its DWARF", files_in(root / "tests/fixtures/cubin", ".cubin"),
       [](const std::string& text) {
         static_cast<void>(
             lab::cubin::read({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
       }},
      {"ELF program", lab::attacks::programs(ptx.front().substr(0, 4000)),
       [](const std::string& text) {
         static_cast<void>(lab::program::read_binary(question_of(lab::BinaryKind::kObject, text)));
         static_cast<void>(lab::program::read_binary(question_of(lab::BinaryKind::kProgram, text)));
       }},
      {"CSV of Nsight Compute", files_in(root / "tests/fuzz/corpus/ncu", ".csv"),
       [](const std::string& text) { static_cast<void>(lab::ncu::read_report(text, "r.csv")); }},
      {"roster",
       {"student,name,email\nada,Ada L.,ada@x.y\nbob,\"Bob \"\"B\"\"\",\n",
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (12)\n    Points "
        "Possible,,,,,100\n\"L, Ada\",1,2,ada,A,\n",
        "Identifier,Full name,Email address,Status,Grade\nParticipant 17,Ada L.,a@b.c,,\n",
        "OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator\n#1,#ada,L,Ada,#\n"},
       [](const std::string& text) {
         const lab::grade::Roster all = lab::grade::read_roster("r.csv", text);
         static_cast<void>(lab::grade::find(all, "ada_4711_lab4"));
         static_cast<void>(lab::grade::did_you_mean(all, "adda"));
       }},
      {"zip", lab::attacks::zips(folder),
       [folder](const std::string& text) { read_zip(folder, text); }},
      {"TOML of a rubric", rubrics,
       [&graded](const std::string& text) {
         static_cast<void>(lab::grade::read_rubric("rubric.toml", text, graded));
       }},
      {"TOML of a program",
       {program},
       [](const std::string& text) {
         static_cast<void>(lab::grade::read_assignment("rubric.toml", text));
       }},
      {"TOML of a lab", files_in(root / "labs", "lab.toml"),
       [](const std::string& text) {
         static_cast<void>(lab::labs::read_lab("99_x", "lab.toml", text));
       }},
  };
}

// What a signal's handler says.
char under_way[256] = "";

void died(int signal) {
  const std::string said = fmt::format("signal {} of {}\n", signal, under_way);
  static_cast<void>(!::write(STDERR_FILENO, said.data(), said.size()));
  ::_exit(1);
}

struct Came {
  std::size_t read = 0;
  std::size_t refused = 0;
  std::size_t wrong = 0;
  double slowest = 0;
};

std::string what_came(const Kind& kind, const std::string& text, Came& came) {
  try {
    kind.read(text);
    ++came.read;
  } catch (const lab::Error& error) {
    ++came.refused;
    static_cast<void>(lab::render(error));
    if (error.fault() == lab::Fault::kInternal) return error.what();
  } catch (const std::exception& error) {
    return fmt::format("an exception that is none of lab's: {}", error.what());
  }
  return {};
}

Came try_all(const Kind& kind, std::size_t from, std::size_t tries) {
  Came came;
  for (std::size_t i = from; i < tries; ++i) {
    std::mt19937_64 random(i * 1000003 + std::hash<std::string_view>()(kind.name) % 1000);
    const std::string text = mutant(kind.seeds, random);
    const auto end = fmt::format_to_n(under_way, sizeof under_way - 1, "{} {}", kind.name, i).out;
    *end = '\0';
    const auto begin = Clock::now();
    std::string wrong = what_came(kind, text, came);
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    if (wrong.empty() && took > kSlow) wrong = fmt::format("it took {:.0f} s", took);
    came.slowest = std::max(came.slowest, took);
    if (wrong.empty()) continue;
    ++came.wrong;
    fmt::print(stderr, "{} {}: {}\n", kind.name, i, wrong);
  }
  return came;
}

}  // namespace

int main(int count, char** words) {
  const std::size_t tries = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1000;
  const std::string only = count > 2 ? words[2] : "";
  const std::size_t from = count > 3 ? std::strtoull(words[3], nullptr, 10) : 0;
  for (const int one : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(one, died);
  const Scratch scratch;
  std::size_t wrong = 0;
  for (const Kind& kind : kinds(LAB_SOURCE_DIR, scratch.path)) {
    if (!only.empty() && only != kind.name) continue;
    const Came came = try_all(kind, from, tries);
    wrong += came.wrong;
    fmt::print("{:22} {} tries: {} read, {} refused, {} wrong; slowest {:.0f} ms\n", kind.name,
               tries - from, came.read, came.refused, came.wrong, 1e3 * came.slowest);
    std::fflush(stdout);
  }
  return wrong == 0 ? 0 : 1;
}
