#include "harness/model/case/launch_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"

namespace lab::model {
namespace {

std::size_t scalar_bytes(const ArgSpec& arg) {
  if (std::holds_alternative<BufferSpec>(arg)) return 8;
  if (const auto* bytes = std::get_if<BytesSpec>(&arg)) return bytes->bytes.size();
  return size_of(std::get<ScalarSpec>(arg).type);
}

// What an argument of a probe describes: texels as they are, by coordinates in texels.
Image image_of(const BufferSpec& buffer, std::span<std::byte> bytes) {
  Image image;
  image.spec = *buffer.image;
  image.type = buffer.type;
  image.bytes = bytes;
  image.name = buffer.name;
  image.beyond.fill(image.spec.outside == ImageSpec::Outside::kBorder ? Image::Beyond::kBorder
                                                                      : Image::Beyond::kClamp);
  return image;
}

}  // namespace

LaunchMemory::LaunchMemory(const Job& job, const ptx::Module& module, const ptx::Function& entry,
                           Buffers& buffers, Inputs inputs)
    : buffers_(buffers), inputs_(inputs) {
  for (std::size_t i = 0; i < job.args.size(); ++i) {
    const auto* buffer = std::get_if<BufferSpec>(&job.args[i]);
    if (buffer != nullptr) place_buffer(*buffer, static_cast<int>(i));
  }
  for (const BufferSpec& buffer : job.buffers) place_buffer(buffer, -1);
  variables_.emplace(module, memory_);
  place_pointers(job);
  set_symbols(job, module);
  place_parameters(job, entry);
  parameter_address_ = memory_.add(parameters_, "kernel parameters", -1, false);
}

std::uint64_t LaunchMemory::add_workspace() {
  const auto bytes = static_cast<std::uint32_t>(workspace_.size());
  std::memcpy(workspace_.data(), &bytes, sizeof bytes);
  return memory_.add(workspace_, "the grid's barrier");
}

void LaunchMemory::place_buffer(const BufferSpec& buffer, int argument) {
  if (buffer.image) {
    addresses_[buffer.name] = memory_.add_image(image_of(buffer, buffers_.raw(buffer.name)));
    return;
  }
  const std::uint64_t address =
      memory_.add(buffers_.raw(buffer.name), buffer.name, argument,
                  inputs_ == Inputs::kWritable || buffer.direction != Direction::kIn);
  addresses_[buffer.name] = address;
  memory_.declare_elements(address, static_cast<std::uint32_t>(size_of(buffer.type)));
  if (buffer.fill.kind == Fill::Kind::kPoison) memory_.leave_uninitialised(address);
}

void LaunchMemory::put_pointers(const std::vector<PointerSpec>& pointers,
                                std::span<std::byte> into) const {
  for (const PointerSpec& pointer : pointers) {
    const std::uint64_t address = addresses_.at(pointer.buffer) + pointer.offset;
    if (pointer.at > into.size() || into.size() - pointer.at < sizeof address) {
      throw internal_error("a pointer past the end of what holds it");
    }
    std::memcpy(into.data() + pointer.at, &address, sizeof address);
  }
}

void LaunchMemory::place_pointers(const Job& job) {
  for (const ArgSpec& arg : job.args) {
    const auto* buffer = std::get_if<BufferSpec>(&arg);
    if (buffer != nullptr) put_pointers(buffer->pointers, buffers_.raw(buffer->name));
  }
  for (const BufferSpec& buffer : job.buffers) {
    put_pointers(buffer.pointers, buffers_.raw(buffer.name));
  }
}

void LaunchMemory::set_symbols(const Job& job, const ptx::Module& module) {
  for (const SymbolSpec& symbol : job.symbols) {
    std::vector<std::byte> bytes = symbol.value.bytes;
    put_pointers(symbol.value.pointers, bytes);
    variables_->set(module, symbol.name, bytes);
  }
}

void LaunchMemory::place_parameters(const Job& job, const ptx::Function& entry) {
  if (entry.params.size() != job.args.size()) {
    throw input_error(fmt::format("the kernel takes {} parameters, {} arguments are given",
                                  entry.params.size(), job.args.size()),
                      "give one argument for each parameter, in their order");
  }
  const ptx::ParamLayout layout = ptx::layout(entry.params);
  parameters_.resize(layout.bytes);
  for (std::size_t i = 0; i < job.args.size(); ++i) {
    const std::size_t bytes = scalar_bytes(job.args[i]);
    if (entry.params[i].bytes != bytes) {
      throw input_error(fmt::format("parameter {} of the kernel has {} bytes, its argument {}", i,
                                    entry.params[i].bytes, bytes),
                        "parameters count from 0; a pointer has 8 bytes");
    }
    place_argument(job.args[i], std::span(parameters_).subspan(layout.offsets[i], bytes));
  }
}

void LaunchMemory::place_argument(const ArgSpec& arg, std::span<std::byte> into) const {
  if (const auto* bytes = std::get_if<BytesSpec>(&arg)) {
    std::copy(bytes->bytes.begin(), bytes->bytes.end(), into.begin());
    put_pointers(bytes->pointers, into);
    return;
  }
  const auto* buffer = std::get_if<BufferSpec>(&arg);
  const std::uint64_t bits =
      buffer == nullptr ? std::get<ScalarSpec>(arg).bits : addresses_.at(buffer->name);
  std::memcpy(into.data(), &bits, into.size());
}

}  // namespace lab::model
