// A recording's file, as README.md beside this specifies it. The library in a program's process
// writes it, and lab reads it: both know it from here alone.
//
// Stored is forever: numbers are never given anew, and a record grows at its end only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lab::record {

/// Begins a file, and each process's part of a file that was put together.
constexpr std::array<char, 8> kMagic = {'L', 'A', 'B', 'R', 'E', 'C', '\r', '\n'};
/// Raised where a reader of the older format would read something else than what was meant.
constexpr std::uint32_t kFormat = 1;

/// A text's bytes, at most: names of kernels that were made from templates reach some kilobytes.
constexpr std::size_t kMostText = 65536;
/// Texts of one process. What comes after them is kOtherText.
constexpr std::uint32_t kMostTexts = 65536;
/// A process's file has at most this many bytes: some six million launches.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

enum class Kind : std::uint32_t {
  kBegin = 1,     ///< Begin; behind it the command line, its words each ended by a zero byte
  kText = 2,      ///< Text; behind it its bytes
  kDevice = 3,    ///< Device
  kModule = 4,    ///< Module
  kLaunch = 5,    ///< Launch
  kKernel = 6,    ///< Kernel
  kCopy = 7,      ///< Copy
  kRange = 8,     ///< Range
  kTrouble = 9,   ///< Trouble; behind it a text for a person, which may be empty
  kEnd = 10,      ///< End
  kCounted = 11,  ///< Counted; behind it a value (IEEE 754 double) for each metric
};

/// Before each record. A record's bytes are followed by zeros up to a multiple of eight. `bytes` is
/// written last: where it is zero, nothing more was written.
struct Header {
  std::uint32_t bytes = 0;  ///< of the record, without this and without the zeros
  Kind kind = {};
  std::uint32_t check = 0;  ///< checksum()
  std::uint32_t zero = 0;
};

/// A text by its number. It stands in the file before the first record that names it.
using TextId = std::uint32_t;
constexpr TextId kNoText = 0;
constexpr TextId kOtherText = 1;  ///< one of too many
constexpr TextId kFirstText = 2;

/// Times are nanoseconds since 1970 by CLOCK_REALTIME; those of a GPU as CUPTI brings them to it.
using Time = std::uint64_t;

struct Begin {
  std::array<char, 8> magic = kMagic;
  std::uint32_t format = kFormat;
  std::uint32_t process = 0;
  std::uint32_t parent = 0;
  std::uint32_t cupti = 0;  ///< CUPTI_API_VERSION of the library that was loaded; 0: none was
  Time time = 0;
};

struct Text {
  TextId id = kNoText;
};

struct Device {
  std::uint32_t device = 0;  ///< as the process numbers them
  TextId name = kNoText;
  std::uint32_t major = 0;  ///< compute capability
  std::uint32_t minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t zero = 0;
  std::uint64_t memory_bytes = 0;
  std::array<std::uint8_t, 16> uuid = {};
};

/// An image that the driver has loaded.
struct Module {
  std::uint32_t module = 0;  ///< CUPTI's number
  std::uint32_t zero = 0;
  std::uint64_t bytes = 0;
  std::uint64_t fingerprint = 0;  ///< fingerprint() of its bytes
  Time time = 0;
};

/// Which of the driver's functions launches.
enum class Entry : std::uint32_t {
  kKernel = 1,       ///< cuLaunchKernel
  kExtended = 2,     ///< cuLaunchKernelEx
  kCooperative = 3,  ///< cuLaunchCooperativeKernel
  kSeveral = 4,      ///< cuLaunchCooperativeKernelMultiDevice
  kOld = 5,          ///< cuLaunch, cuLaunchGrid, cuLaunchGridAsync: no block is known
  kGraph = 6,        ///< cuGraphLaunch: no kernel, grid or block
};

struct Shape {
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
};

/// A call of the host that has returned. What ran is said by the Kernels of its correlation.
struct Launch {
  std::uint32_t correlation = 0;
  Entry entry = {};
  TextId name = kNoText;       ///< of the kernel, mangled
  TextId range = kNoText;      ///< NVTX ranges around it, the outermost first, with / between them
  std::uint32_t result = 0;    ///< CUresult
  std::uint32_t captured = 0;  ///< 1: into a graph, and nothing ran
  Shape shape = {};
  std::uint32_t dynamic_shared = 0;
  std::uint32_t thread = 0;
  Time start = 0;
  Time end = 0;
};

/// A kernel that has run on a GPU.
struct Kernel {
  std::uint32_t correlation = 0;  ///< of the Launch; several have that of a graph
  TextId name = kNoText;
  Shape shape = {};
  std::array<std::uint32_t, 3> cluster = {};  ///< zeros: launched without
  std::uint32_t registers = 0;                ///< per thread
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
  std::uint32_t local = 0;  ///< bytes per thread
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint64_t graph_node = 0;  ///< 0: of no graph
  Time start = 0;
  Time end = 0;
};

enum class Copied : std::uint32_t {
  kOther = 0,
  kToDevice = 1,
  kFromDevice = 2,
  kWithin = 3,   ///< one device's memory
  kBetween = 4,  ///< two devices
  kSet = 5,      ///< memset
};

/// A copy or memset that a GPU has done.
struct Copy {
  std::uint32_t correlation = 0;
  Copied what = {};
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint64_t bytes = 0;
  Time start = 0;
  Time end = 0;
};

/// An NVTX range of a thread that was pushed and popped.
struct Range {
  TextId range = kNoText;  ///< as in Launch
  std::uint32_t thread = 0;
  Time start = 0;
  Time end = 0;
};

/// Counters of a launch, of one pass.
struct Counted {
  std::uint32_t correlation = 0;
  TextId metrics = kNoText;  ///< CUPTI's names, with commas between them
};

enum class Problem : std::uint32_t {
  kNoCupti = 1,        ///< not found, or too old: nothing was recorded
  kBusy = 2,           ///< somebody else subscribes to CUPTI in this process
  kRefused = 3,        ///< CUPTI refused a call
  kDropped = 4,        ///< CUPTI had no room for records; `count` are lost
  kFull = 5,           ///< the file has kMostBytes, or the system gives no more
  kTexts = 6,          ///< more than kMostTexts
  kNotCounted = 7,     ///< counters were asked for: none from here on
  kSeveralPasses = 8,  ///< the metric in the text fits no pass with those before it
  kNoMetric = 9,       ///< CUPTI knows none of the text's name on this chip
};

struct Trouble {
  Problem problem = {};
  std::uint32_t code = 0;  ///< CUptiResult or errno
  std::uint64_t count = 0;
};

/// The last record of a process that ended by exit(3) or by returning from main.
struct End {
  std::uint64_t launches = 0;
  std::uint64_t kernels = 0;
  Time time = 0;
};

/// Every byte of a record is a member's, so that equal records are equal bytes.
template <typename T>
constexpr bool kStored =
    std::is_trivially_copyable_v<T>&& std::has_unique_object_representations_v<T> &&
    alignof(T) <= 8;
static_assert(kStored<Header> && kStored<Begin> && kStored<Text> && kStored<Device> &&
              kStored<Module> && kStored<Launch> && kStored<Kernel> && kStored<Copy> &&
              kStored<Range> && kStored<Trouble> && kStored<End> && kStored<Counted>);
static_assert(sizeof(Header) == 16 && sizeof(Begin) == 32 && sizeof(Text) == 4 &&
              sizeof(Device) == 48 && sizeof(Module) == 32 && sizeof(Launch) == 72 &&
              sizeof(Kernel) == 96 && sizeof(Copy) == 40 && sizeof(Range) == 24 &&
              sizeof(Trouble) == 16 && sizeof(End) == 24 && sizeof(Counted) == 8);

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7U) & ~std::size_t{7}; }

/// The hash that checksum() and fingerprint() share: of whole words of eight bytes, the last one
/// filled up with zeros; little-endian, as every machine with CUDA is.
inline std::uint64_t hash_words(std::uint64_t seed, const void* bytes, std::size_t count) {
  constexpr std::uint64_t kFactor = 0xff51afd7ed558ccdU;  // of MurmurHash3's finaliser
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t hash = seed;
  while (count > 0) {
    std::uint64_t word = 0;
    const std::size_t part = count < sizeof word ? count : sizeof word;
    std::memcpy(&word, at, part);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32U;
    at += part;
    count -= part;
  }
  return hash;
}

/// The checksum of a record's kind, length and bytes.
inline std::uint32_t checksum(Kind kind, const void* bytes, std::size_t count) {
  const std::uint64_t seed = (static_cast<std::uint64_t>(kind) << 32U) ^ count;
  return static_cast<std::uint32_t>(hash_words(seed, bytes, count));
}

/// Tells images apart. It is not a cryptographic hash.
inline std::uint64_t fingerprint(const void* bytes, std::size_t count) {
  return hash_words(count, bytes, count);
}

}  // namespace lab::record
