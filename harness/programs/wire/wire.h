// What a program's runtime library and the process that runs its launches say to each other, over a
// socket that keeps messages apart (SOCK_SEQPACKET). Each message is the number of its call, the
// place of the program's code that made it, the call's own record below, and bytes behind it. Calls
// that say so have one Answer; the others are notes, which the next of those overtakes nothing of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lab::program {

/// Raised with every change here: library and worker are of one build.
constexpr std::uint32_t kWireVersion = 7;

/// Descriptors that the program finds open.
constexpr int kSocket = 198;
constexpr int kArena = 199;

/// Device memory: bytes of the arena, which both processes map. Of these addresses the program sees
/// what both sides may use (managed, pinned); the rest of the range cannot be touched there.
constexpr std::uint64_t kArenaBase = 0x0000002000000000U;
constexpr std::uint64_t kArenaBytes = std::uint64_t{1} << 40U;
/// Behind the end of each allocation, so that an index past it reaches no other.
constexpr std::uint64_t kGuardBytes = std::uint64_t{1} << 20U;

/// More than this is sent in parts.
constexpr std::size_t kMostTail = 65536;
constexpr std::size_t kMostMessage = kMostTail + 512;

/// Where a program's code made a call: a return address, made relative to its file.
using Site = std::uint64_t;

enum class Call : std::uint32_t {
  kHello = 1,
  kKernel,    ///< tail: its mangled name
  kVariable,  ///< tail: its name
  kAllocate,  ///< of memory of the arena
  kFree,
  kWritten,        ///< by the host: memcpy, memset
  kRead,           ///< by the host: memcpy
  kLaunch,         ///< tail: the arguments; answered
  kKernelFacts,    ///< answered; tail of the answer: KernelFacts
  kVariableFacts,  ///< answered; tail of the answer: VariableFacts
  kPeek,           ///< of a variable; answered with its bytes
  kPoke,           ///< of a variable; tail: the bytes; answered
  kError,          ///< a call returned an error
  kErrorAsked,     ///< the program looked at an error
  kRefused,        ///< a call that is not modelled
  kUnwaited,       ///< the host has used what the device has changed, and did not wait
  kHostTouches,    ///< memory of the device; the program's next step is a signal
  kOutput,         ///< the program has written what it had buffered; answered
  kImage,          ///< a texture or surface is made; tail of the answer: its handle
  kDropImage,
  kDevice,       ///< answered; tail of the answer: DeviceFacts
  kLibraryCall,  ///< a call of cuBLAS's or cuRAND's; tail: its name
  kLibraryUse,   ///< memory of the device that it uses; tail: its name
  kStream,       ///< one is made, or is gone
  kWork,         ///< of a stream: what is said until the next is its
  kRecord,       ///< an event, in a stream
  kStreamWaits,  ///< for an event
  kHostWaits,    ///< tail: numbers of works; answered where it asks
  kSourceChanged,
  kHostUse,    ///< of memory of the host's own, by the work under way
  kResident,   ///< answered; tail of the answer: ResidentBlocks
  kAskShared,  ///< a kernel asks for more shared memory than it has without; answered
};

struct Head {
  Call call = Call::kHello;
  std::uint32_t tail_bytes = 0;
  Site site = 0;
};

struct Hello {
  static constexpr Call kCall = Call::kHello;
  std::uint32_t version = kWireVersion;
  std::uint64_t base =
      0;  ///< where the program's file lies in its memory: sites are relative to it
};
/// What a file that clang compiles here has in place of device code; its number follows.
inline constexpr std::string_view kUnitMark = "lab's unit ";

struct Registered {
  std::uint64_t handle = 0;  ///< the host's address of it, by which the program names it
  std::uint64_t bytes = 0;   ///< of a variable
  std::uint64_t unit = 0;    ///< of which of the program's files it is: see ProgramUnit
};
struct Kernel : Registered {
  static constexpr Call kCall = Call::kKernel;
};
struct Variable : Registered {
  static constexpr Call kCall = Call::kVariable;
};

enum class MemoryKind : std::uint32_t { kDevice = 0, kPinned = 1, kManaged = 2 };
struct Allocate {
  static constexpr Call kCall = Call::kAllocate;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  std::uint32_t in_stream = 0;  ///< 1: it is there when the work under way is done
};
enum class FreedBy : std::uint32_t {
  kHost = 0,    ///< which has waited for all that the device does
  kStream = 1,  ///< when the work under way comes to it
  kAtOnce = 2,  ///< by the host, which has waited for nothing
};
struct Free {
  static constexpr Call kCall = Call::kFree;
  std::uint64_t address = 0;
  FreedBy by = FreedBy::kHost;
};
struct Range {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};
struct Written : Range {
  static constexpr Call kCall = Call::kWritten;
  std::uint32_t same = 0;   ///< 1: the bytes are those that were there
  std::uint32_t aside = 0;  ///< 1: by this library, for no work of the program's
  std::uint32_t fill = 0;   ///< 1: with one value
};
struct Read : Range {
  static constexpr Call kCall = Call::kRead;
  std::uint64_t rows = 1;   ///< of so many bytes
  std::uint64_t pitch = 0;  ///< bytes from row to row
};

struct LaunchCall {
  static constexpr Call kCall = Call::kLaunch;
  std::uint64_t kernel = 0;  ///< handle
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t shared_bytes = 0;
  std::uint32_t cooperative = 0;
  std::uint32_t cluster[3] = {0, 0, 0};  ///< blocks, as the launch asks; zeros: it does not
};
struct AskKernel {
  static constexpr Call kCall = Call::kKernelFacts;
  std::uint64_t kernel = 0;
};
constexpr std::uint32_t kMostParameters = 256;
struct KernelFacts {
  std::uint32_t registers = 0;
  std::uint32_t max_threads = 1024;
  std::uint64_t shared_bytes = 0;
  std::uint64_t constant_bytes = 0;
  std::uint64_t local_bytes = 0;
  std::uint64_t asked_shared = 0;  ///< dynamic, that a launch may have
  std::uint32_t parameter_count = 0;
  std::uint32_t parameter_bytes = 0;
  struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
  } parameters[kMostParameters];
};
/// How many blocks of such launches an SM holds at once.
struct AskResident {
  static constexpr Call kCall = Call::kResident;
  std::uint64_t kernel = 0;
  std::uint64_t threads = 0;       ///< per block
  std::uint64_t shared_bytes = 0;  ///< dynamic
};
struct ResidentBlocks {
  std::uint64_t blocks = 0;  ///< 0: not even one block fits
};
struct AskShared {
  static constexpr Call kCall = Call::kAskShared;
  std::uint64_t kernel = 0;
  std::int64_t bytes = 0;  ///< dynamic
};
struct AskVariable {
  static constexpr Call kCall = Call::kVariableFacts;
  std::uint64_t variable = 0;
};
struct VariableFacts {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};
struct Peek : Range {  ///< `address`: of the device
  static constexpr Call kCall = Call::kPeek;
  std::uint32_t aside = 0;  ///< as of Written
};
struct Poke : Range {
  static constexpr Call kCall = Call::kPoke;
  std::uint32_t aside = 0;
};
struct ErrorCall {
  static constexpr Call kCall = Call::kError;
  std::int32_t error = 0;
};
struct ErrorAsked {
  static constexpr Call kCall = Call::kErrorAsked;
};
/// What the runtime library itself refuses, by its number. All else is refused when a program is
/// built: a number that a program makes up is no refusal.
enum class RefusedCall : std::uint32_t {
  kRandomGenerator = 0,
  kProgrammaticEvent = 1,
  kPreferredCluster = 2,
  kCompletionEvent = 3,
  kUpdatableNode = 4,
  kNewerAttribute = 5,
};
struct Refused {
  static constexpr Call kCall = Call::kRefused;
  RefusedCall what = RefusedCall::kNewerAttribute;
};
struct Unwaited {
  static constexpr Call kCall = Call::kUnwaited;
  std::uint64_t address = 0;   ///< 0: the program ends
  std::uint64_t launches = 0;  ///< the last so many, which the host has not waited for
  std::uint64_t work = 0;      ///< that has changed what is there; 0: not known
};
struct HostTouches {
  static constexpr Call kCall = Call::kHostTouches;
  std::uint64_t address = 0;
  std::uint64_t writes = 0;  ///< 0: it reads, or the processor does not say
};
struct Output {
  static constexpr Call kCall = Call::kOutput;
};

enum class ImageKind : std::uint32_t { kTexture, kLinear, kSurface };
/// Numbers of cudaChannelFormatKind and cudaTextureAddressMode.
enum class ChannelFormat : std::uint32_t { kSigned, kUnsigned, kFloat };
enum class Beyond : std::uint32_t { kWrap, kClamp, kMirror, kBorder };
struct MakeImage : Range {
  static constexpr Call kCall = Call::kImage;
  ImageKind kind = ImageKind::kTexture;
  std::uint32_t width = 0;  ///< texels
  std::uint32_t height = 0;
  std::uint32_t planes = 0;
  std::uint32_t layered = 0;
  std::uint32_t channels = 1;
  std::uint32_t channel_bits = 32;
  ChannelFormat format = ChannelFormat::kFloat;
  std::uint64_t row_bytes = 0;  ///< from row to row; 0: rows follow each other
  Beyond beyond[3] = {Beyond::kClamp, Beyond::kClamp, Beyond::kClamp};
  std::uint32_t linear = 0;
  std::uint32_t normalised = 0;
  std::uint32_t as_fraction = 0;
};
struct DropImage {
  static constexpr Call kCall = Call::kDropImage;
  std::uint64_t handle = 0;
};

struct AskDevice {
  static constexpr Call kCall = Call::kDevice;
};
/// Of the GPU that is modelled, where it is not the H200 whose attributes the runtime has.
struct DeviceFacts {
  char name[64] = {};
  std::uint64_t memory_bytes = 0;
  std::uint32_t major = 0;  ///< 0: it is that H200
  std::uint32_t minor = 0;
  std::uint32_t sms = 0;
  std::uint32_t clock_khz = 0;
  std::uint32_t memory_khz = 0;
  std::uint32_t bus_bits = 0;
  std::uint32_t l2_bytes = 0;
  std::uint32_t threads_per_sm = 0;
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t shared_per_sm = 0;
  std::uint32_t shared_optin = 0;
  std::uint32_t double_ratio = 0;
};

struct LibraryCalled {
  static constexpr Call kCall = Call::kLibraryCall;
};
struct LibraryUse : Range {
  static constexpr Call kCall = Call::kLibraryUse;
  std::uint32_t writes = 0;
};

/// The order of what streams do (CUDA C++ Programming Guide, "Asynchronous Concurrent Execution").
/// The legacy default stream is 0, and is there from the start.
enum class StreamOrder : std::uint32_t {
  kBlocking = 0,  ///< its work and that of the default stream wait for each other
  kNonBlocking = 1,
  kPerThread = 2,  ///< a thread's default stream: a blocking one that nobody made
  kNode = 3,       ///< nodes of a graph that come behind one another
  kGone = 4,
};
struct StreamCall {
  static constexpr Call kCall = Call::kStream;
  std::uint64_t stream = 0;
  StreamOrder order = StreamOrder::kBlocking;
};
struct WorkCall {
  static constexpr Call kCall = Call::kWork;
  std::uint64_t stream = 0;
  std::uint64_t number = 0;  ///< from 1, of all work of the program
};
struct RecordCall {
  static constexpr Call kCall = Call::kRecord;
  std::uint64_t event = 0;
  std::uint64_t stream = 0;
  std::uint32_t gone = 0;  ///< 1: the event is no more
};
struct StreamWaits {
  static constexpr Call kCall = Call::kStreamWaits;
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};
enum class WaitFor : std::uint32_t { kAll = 0, kStream = 1, kEvent = 2, kWork = 3 };
/// The answer's tail has a byte for each number of the call's: 1 where the host knows that this
/// work is done.
struct HostWaits {
  static constexpr Call kCall = Call::kHostWaits;
  WaitFor what = WaitFor::kAll;
  std::uint64_t id = 0;    ///< a stream's, an event's or a work's number
  std::uint64_t asks = 0;  ///< 1: it is answered, when what kernels have printed is printed
};
/// Pinned memory outside of the arena (cudaHostRegister).
struct HostUse : Range {
  static constexpr Call kCall = Call::kHostUse;
  std::uint32_t writes = 0;
};
/// The host has changed what a copy reads before it knew that the copy was done.
struct SourceChanged : Range {
  static constexpr Call kCall = Call::kSourceChanged;
  Site seen = 0;  ///< the host's call that came behind the change
};

struct Answer {
  std::int32_t error = 0;  ///< as cudaError_t has it
  std::uint32_t tail_bytes = 0;
  double nanoseconds = 0;  ///< of a launch: what it would take on the GPU; no number: not known
};

/// The numbers of cudaError_t that are used here.
enum ApiError : std::int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidConfiguration = 9,
  kInvalidSymbol = 13,
  kInvalidDeviceFunction = 98,
  kNotSupported = 801,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeTooLarge = 720,
  kInvalidClusterSize = 912,
};

}  // namespace lab::program
