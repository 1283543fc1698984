#include "harness/gpu/driver/device.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::gpu {

namespace {

Handle<CUcontext> make_context(const std::shared_ptr<const Driver>& driver, CUdevice device) {
  CUcontext context = nullptr;
  driver->check(driver->api().CtxCreate(&context, nullptr, 0, CU_CTX_SCHED_SPIN, device),
                "cuCtxCreate");
  return {context, [driver](CUcontext made) {
            driver->log_failed(driver->api().CtxDestroy(made), "cuCtxDestroy");
          }};
}

Handle<CUstream> make_stream(const std::shared_ptr<const Driver>& driver) {
  CUstream stream = nullptr;
  driver->check(driver->api().StreamCreate(&stream, CU_STREAM_DEFAULT), "cuStreamCreate");
  return {stream, [driver](CUstream made) {
            driver->log_failed(driver->api().StreamDestroy(made), "cuStreamDestroy");
          }};
}

}  // namespace

Memory::Memory(std::shared_ptr<const Driver> driver, std::size_t bytes)
    : driver_(std::move(driver)), size_(bytes) {
  if (bytes == 0) return;
  CUdeviceptr address = 0;
  driver_->check(driver_->api().MemAlloc(&address, bytes), "cuMemAlloc",
                 fmt::format("{} bytes", bytes));
  handle_ = {address, [driver = driver_](CUdeviceptr made) {
               driver->log_failed(driver->api().MemFree(made), "cuMemFree");
             }};
}

void Memory::upload(std::span<const std::byte> from) const {
  if (from.empty()) return;
  driver_->check(driver_->api().MemcpyHtoD(address(), from.data(), from.size()), "cuMemcpyHtoD");
}

void Memory::download(std::span<std::byte> to, std::size_t from) const {
  if (to.empty()) return;
  driver_->check(driver_->api().MemcpyDtoH(to.data(), address() + from, to.size()), "cuMemcpyDtoH");
}

Context::Context(std::shared_ptr<const Driver> driver, CUdevice device)
    : driver_(std::move(driver)),
      device_(device),
      handle_(make_context(driver_, device)),
      stream_(make_stream(driver_)) {}

std::size_t Context::free_bytes() const {
  std::size_t available = 0;
  std::size_t total = 0;
  driver_->check(driver_->api().MemGetInfo(&available, &total), "cuMemGetInfo");
  return available;
}

void Context::copy(const Memory& to, const Memory& from, std::size_t bytes) const {
  if (bytes == 0) return;
  driver_->check(driver_->api().MemcpyDtoDAsync(to.address(), from.address(), bytes, stream_.get()),
                 "cuMemcpyDtoDAsync");
}

void Context::fill(const Memory& memory, std::uint8_t value, std::size_t bytes) const {
  if (bytes == 0) return;
  driver_->check(driver_->api().MemsetD8Async(memory.address(), value, bytes, stream_.get()),
                 "cuMemsetD8Async");
}

void Context::synchronize(std::string_view object) const {
  driver_->check(driver_->api().StreamSynchronize(stream_.get()), "cuStreamSynchronize", object);
}

Event::Event(const Context& context) : driver_(context.driver()), stream_(context.stream()) {
  CUevent event = nullptr;
  driver_->check(driver_->api().EventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  handle_ = {event, [driver = driver_](CUevent made) {
               driver->log_failed(driver->api().EventDestroy(made), "cuEventDestroy");
             }};
}

void Event::record() const {
  driver_->check(driver_->api().EventRecord(handle_.get(), stream_), "cuEventRecord");
}

double Event::ns_since(const Event& start) const {
  float milliseconds = 0;
  driver_->check(driver_->api().EventElapsedTime(&milliseconds, start.handle_.get(), handle_.get()),
                 "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e6;
}

int Function::attribute(CUfunction_attribute attribute) const {
  int value = 0;
  driver_->check(driver_->api().FuncGetAttribute(&value, attribute, function_),
                 "cuFuncGetAttribute", name_);
  return value;
}

void Function::set_attribute(CUfunction_attribute attribute, int value) const {
  driver_->check(driver_->api().FuncSetAttribute(function_, attribute, value), "cuFuncSetAttribute",
                 name_);
}

int Function::blocks_per_sm(int threads, std::size_t dynamic_shared_bytes) const {
  int blocks = 0;
  driver_->check(driver_->api().OccupancyMaxActiveBlocksPerMultiprocessor(
                     &blocks, function_, threads, dynamic_shared_bytes),
                 "cuOccupancyMaxActiveBlocksPerMultiprocessor", name_);
  return blocks;
}

void Function::launch(const Launch& launch, std::span<void* const> arguments,
                      CUstream stream) const {
  // The driver takes void** and changes neither the array nor what it points to.
  auto** parameters = const_cast<void**>(arguments.data());
  if (cooperative_) {
    driver_->check(
        driver_->api().LaunchCooperativeKernel(
            function_, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
            launch.block.z, launch.dynamic_shared_bytes, stream, parameters),
        "cuLaunchCooperativeKernel", name_);
    return;
  }
  driver_->check(
      driver_->api().LaunchKernel(function_, launch.grid.x, launch.grid.y, launch.grid.z,
                                  launch.block.x, launch.block.y, launch.block.z,
                                  launch.dynamic_shared_bytes, stream, parameters, nullptr),
      "cuLaunchKernel", name_);
}

Module::Module(std::shared_ptr<const Driver> driver, std::span<const std::uint8_t> image)
    : driver_(std::move(driver)), image_(image.begin(), image.end()) {
  CUmodule module = nullptr;
  driver_->check(driver_->api().ModuleLoadData(&module, image_.data()), "cuModuleLoadData");
  handle_ = {module, [driver = driver_](CUmodule made) {
               driver->log_failed(driver->api().ModuleUnload(made), "cuModuleUnload");
             }};
}

Function Module::function(const std::string& lowered) const {
  CUfunction found = nullptr;
  driver_->check(driver_->api().ModuleGetFunction(&found, handle_.get(), lowered.c_str()),
                 "cuModuleGetFunction", lowered);
  return {driver_, found, lowered};
}

CUdeviceptr Module::address_of(const std::string& lowered, std::size_t bytes) const {
  CUdeviceptr address = 0;
  std::size_t size = 0;
  driver_->check(driver_->api().ModuleGetGlobal(&address, &size, handle_.get(), lowered.c_str()),
                 "cuModuleGetGlobal", lowered);
  if (bytes > size) {
    throw input_error(fmt::format("the variable '{}' has {} bytes, {} are given for it",
                                  symbol_name(lowered), size, bytes));
  }
  return address;
}

void Module::set(const std::string& lowered, std::span<const std::byte> bytes) const {
  const CUdeviceptr address = address_of(lowered, bytes.size());
  driver_->check(driver_->api().MemcpyHtoD(address, bytes.data(), bytes.size()), "cuMemcpyHtoD",
                 lowered);
}

void Module::get(const std::string& lowered, std::span<std::byte> bytes) const {
  const CUdeviceptr address = address_of(lowered, bytes.size());
  driver_->check(driver_->api().MemcpyDtoH(bytes.data(), address, bytes.size()), "cuMemcpyDtoH",
                 lowered);
}

bool Module::has(const std::string& lowered) const {
  CUdeviceptr address = 0;
  std::size_t size = 0;
  const CUresult found =
      driver_->api().ModuleGetGlobal(&address, &size, handle_.get(), lowered.c_str());
  if (found != CUDA_ERROR_NOT_FOUND) driver_->check(found, "cuModuleGetGlobal", lowered);
  return found == CUDA_SUCCESS;
}

}  // namespace lab::gpu
