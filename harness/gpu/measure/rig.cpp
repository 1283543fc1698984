#include "harness/gpu/measure/rig.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::gpu {

namespace {

// Larger inputs are not compared with their original contents: reading them back would take longer
// than the kernel.
constexpr std::size_t kMostCompared = std::size_t{64} << 20;
constexpr std::uint8_t kPoison = 0xA5;  // as Fill::Kind::kPoison
constexpr std::uint32_t kSweepThreads = 512;
constexpr std::uint32_t kSweepBlocksPerSm = 4;
// Twice L2, so that a cache that hashes addresses over two halves still loses every line.
constexpr std::size_t kSweepFactor = 2;

// Neither poison nor zero, which are filled in place.
bool copies_original(const BufferSpec& spec) {
  return spec.fill.kind != Fill::Kind::kPoison && spec.fill.kind != Fill::Kind::kZero;
}

// Piece by piece: memory for all of a large input takes longer to get than its bytes.
bool holds(const Memory& memory, std::span<const std::byte> bytes) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  std::vector<std::byte> piece(std::min(kPiece, bytes.size()));
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const auto now = std::span(piece).first(std::min(kPiece, bytes.size() - at));
    memory.download(now, at);
    if (std::memcmp(now.data(), bytes.data() + at, now.size()) != 0) return false;
  }
  return true;
}

}  // namespace

const Memory& BufferPool::pristine(const std::string& content, const BufferSpec& spec) {
  const auto found = pristine_.find(content);
  if (found != pristine_.end()) return found->second.memory;
  return pristine_.emplace(content, Original{context_.allocate(bytes_of(spec))})
      .first->second.memory;
}

void BufferPool::fill(const std::string& content, const BufferSpec& spec,
                      std::span<const std::byte> host) {
  Original& original = pristine_.at(content);
  if (original.filled) return;
  original.memory.upload(host.empty() ? std::span<const std::byte>(initial_bytes(spec)) : host);
  original.filled = true;
}

const Memory& BufferPool::scratch(std::size_t slot, std::size_t bytes) {
  const auto found = scratch_.find({slot, bytes});
  if (found != scratch_.end()) return found->second;
  return scratch_.emplace(std::pair{slot, bytes}, context_.allocate(bytes)).first->second;
}

void BufferPool::repair(const std::string& content, const BufferSpec& spec) {
  const auto found = pristine_.find(content);
  if (found != pristine_.end()) found->second.memory.upload(initial_bytes(spec));
}

void BufferPool::clear() {
  pristine_.clear();
  scratch_.clear();
}

Rig::Rig(const std::shared_ptr<const Driver>& driver, CUdevice device, const DeviceFacts& facts,
         const Compiled& tools)
    : context_(driver, device),
      tools_(driver, tools.cubin),
      flush_(tools_.function("lab_flush")),
      delay_(tools_.function("lab_delay")),
      sweep_(context_.allocate(kSweepFactor * static_cast<std::size_t>(facts.l2_bytes))),
      results_(context_.allocate(2 * sizeof(std::uint64_t))),
      sms_(facts.sm.sms),
      pool_(context_) {
  context_.fill(results_, 0, results_.size());
}

void Rig::flush() {
  CUdeviceptr data = sweep_.address();
  std::uint64_t count = sweep_.size() / 16;  // uint4
  CUdeviceptr out = results_.address();
  const std::array<void*, 3> arguments = {&data, &count, &out};
  const Launch launch{{static_cast<std::uint32_t>(sms_) * kSweepBlocksPerSm}, {kSweepThreads}};
  flush_.launch(launch, arguments, context_.stream());
}

void Rig::delay(std::uint64_t ns) {
  CUdeviceptr out = results_.address();
  const std::array<void*, 2> arguments = {&ns, &out};
  delay_.launch(Launch{}, arguments, context_.stream());
}

double Rig::clock_mhz() {
  context_.synchronize("lab_delay");
  std::array<std::uint64_t, 2> cycles_and_ns{};
  results_.download(std::as_writable_bytes(std::span(cycles_and_ns)));
  if (cycles_and_ns[1] == 0) return 0;
  return static_cast<double>(cycles_and_ns[0]) / static_cast<double>(cycles_and_ns[1]) * 1e3;
}

PreparedCase::PreparedCase(Rig& rig, const Job& job, Launcher launcher,
                           const std::vector<std::string>& changed_inputs)
    : rig_(rig), job_(job), launcher_(std::move(launcher)) {
  addresses_.resize(job.args.size() + job.buffers.size());
  scalars_.resize(job.args.size());
  bytes_.resize(job.args.size());
  for (std::size_t i = 0; i < job.args.size(); ++i) {
    if (const auto* buffer = std::get_if<BufferSpec>(&job.args[i])) {
      const bool changed = std::find(changed_inputs.begin(), changed_inputs.end(), buffer->name) !=
                           changed_inputs.end();
      add_slot(i, *buffer, changed);
    } else if (const auto* bytes = std::get_if<BytesSpec>(&job.args[i])) {
      bytes_[i] = bytes->bytes;
    } else {
      scalars_[i] = std::get<ScalarSpec>(job.args[i]).bits;
    }
  }
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    add_slot(job.args.size() + i, job.buffers[i], true);
  }
  place();
}

// A buffer that holds addresses is this case's own: they are those of its buffers.
void PreparedCase::add_slot(std::size_t argument, const BufferSpec& spec, bool changed) {
  const bool own =
      changed || spec.direction != Direction::kIn || !spec.pointers.empty() || spec.image;
  slots_.push_back({argument, &spec, content_key(spec), own});
}

CUdeviceptr PreparedCase::address_of(const std::string& buffer) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const Slot& slot) { return slot.spec->name == buffer; });
  if (found == slots_.end()) throw internal_error("a pointer leads to no buffer: " + buffer);
  return addresses_[found->argument];
}

void PreparedCase::put_pointers(const std::vector<PointerSpec>& pointers,
                                std::span<std::byte> into) const {
  for (const PointerSpec& pointer : pointers) {
    const std::uint64_t address = address_of(pointer.buffer) + pointer.offset;
    if (pointer.at > into.size() || into.size() - pointer.at < sizeof address) {
      throw internal_error("a pointer past the end of what holds it");
    }
    std::memcpy(into.data() + pointer.at, &address, sizeof address);
  }
}

// Where memory runs out, what other cases left behind is freed first.
void PreparedCase::place() {
  try {
    place_slots();
  } catch (const DriverError& error) {
    if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    rig_.context().synchronize(job_.kernel);
    rig_.pool().clear();
    place_slots();
  }
}

void PreparedCase::upload(Buffers& before) {
  for (const Slot& slot : slots_) {
    if (!has_original(slot)) continue;
    rig_.pool().fill(slot.content, *slot.spec, before.raw(slot.spec->name));
  }
}

// Working copies of poison or zeros are filled in place.
bool PreparedCase::has_original(const Slot& slot) {
  return !slot.own || copies_original(*slot.spec);
}

void PreparedCase::place_slots() {
  for (Slot& slot : slots_) {
    const Memory& memory = slot.own ? rig_.pool().scratch(slot.argument, bytes_of(*slot.spec))
                                    : rig_.pool().pristine(slot.content, *slot.spec);
    addresses_[slot.argument] = memory.address();
    if (slot.spec->image) {
      const bool stands = slot.image && slot.image->address() == memory.address();
      if (!stands) slot.image.emplace(rig_.context(), *slot.spec, memory);
      addresses_[slot.argument] = slot.image->object();
    }
    // The original that the working copy is made from has to fit as well.
    if (slot.own && has_original(slot)) (void)rig_.pool().pristine(slot.content, *slot.spec);
  }
  pointers_.clear();
  for (std::size_t i = 0; i < job_.args.size(); ++i) {
    if (const auto* bytes = std::get_if<BytesSpec>(&job_.args[i])) {
      put_pointers(bytes->pointers, bytes_[i]);
      pointers_.push_back(bytes_[i].data());
      continue;
    }
    const bool buffer = std::holds_alternative<BufferSpec>(job_.args[i]);
    pointers_.push_back(buffer ? static_cast<void*>(&addresses_[i])
                               : static_cast<void*>(&scalars_[i]));
  }
}

void PreparedCase::restore() {
  place();
  for (const Slot& slot : slots_) {
    if (has_original(slot)) rig_.pool().fill(slot.content, *slot.spec);
    if (!slot.own) continue;
    const std::size_t bytes = bytes_of(*slot.spec);
    const Memory& working = rig_.pool().scratch(slot.argument, bytes);
    if (!slot.spec->pointers.empty()) {
      std::vector<std::byte> content = initial_bytes(*slot.spec);
      put_pointers(slot.spec->pointers, content);
      rig_.context().synchronize(job_.kernel);
      working.upload(content);
    } else if (copies_original(*slot.spec)) {
      rig_.context().copy(working, rig_.pool().pristine(slot.content, *slot.spec), bytes);
    } else {
      const bool poison = slot.spec->fill.kind == Fill::Kind::kPoison;
      rig_.context().fill(working, poison ? kPoison : std::uint8_t{0}, bytes);
    }
    if (slot.image) slot.image->fill();
  }
  if (job_.symbols.empty()) return;
  rig_.context().synchronize(job_.kernel);
  for (const SymbolSpec& symbol : job_.symbols) {
    std::vector<std::byte> content = symbol.value.bytes;
    put_pointers(symbol.value.pointers, content);
    launcher_.set_symbol(symbol.name, content);
  }
}

void PreparedCase::launch() { launcher_.launch(pointers_); }

int PreparedCase::kernels() {
  if (kernels_ == 0) kernels_ = launcher_.kernels(pointers_);
  return kernels_;
}

void PreparedCase::download(Buffers& into) const {
  for (const Slot& slot : slots_) {
    if (!slot.own) continue;
    if (slot.image && slot.spec->direction != Direction::kIn) {
      slot.image->read();
      rig_.context().synchronize(job_.kernel);
    }
    rig_.pool().scratch(slot.argument, bytes_of(*slot.spec)).download(into.raw(slot.spec->name));
  }
}

std::vector<std::string> PreparedCase::find_changed_inputs(const Buffers& before) {
  std::size_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.own ? 0 : bytes_of(*slot.spec);
  if (bytes > kMostCompared) return {};
  std::vector<std::string> changed;
  for (Slot& slot : slots_) {
    if (slot.own) continue;
    // Buffers returns only writable spans; this one is only read.
    const auto was = const_cast<Buffers&>(before).raw(slot.spec->name);
    if (holds(rig_.pool().pristine(slot.content, *slot.spec), was)) continue;
    spdlog::debug("the kernel changed its input {}", slot.spec->name);
    changed.push_back(slot.spec->name);
    slot.own = true;
    rig_.pool().repair(slot.content, *slot.spec);
  }
  return changed;
}

}  // namespace lab::gpu
