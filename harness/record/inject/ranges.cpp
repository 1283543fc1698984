// NVTX version 3 loads the library that NVTX_INJECTION64_PATH names and lets it fill in a table of
// functions (nvtx3/nvtxDetail/nvtxTypes.h). What is left empty there does nothing.
#include "harness/record/inject/ranges.h"

#include <nvtx3/nvToolsExt.h>

#include <cwchar>
#include <string>
#include <vector>

#include "harness/record/inject/recorder.h"

namespace lab::record {

namespace {

struct Open {
  nvtxDomainHandle_t domain;  // null: the one that has no name
  std::string path;
  Time start;
};

std::vector<Open>& stack() {
  thread_local std::vector<Open> open;
  return open;
}

int depth(nvtxDomainHandle_t domain) {
  int count = 0;
  for (const Open& one : stack()) count += one.domain == domain ? 1 : 0;
  return count;
}

// Returns the range's level, counted from 0, as NVTX says.
int push(nvtxDomainHandle_t domain, std::string_view name) {
  const int level = depth(domain);
  std::string path(open_ranges());
  if (!path.empty()) path += '/';
  path.append(name.empty() ? std::string_view("(no name)") : name);
  stack().push_back({domain, std::move(path), now()});
  return level;
}

int pop(nvtxDomainHandle_t domain) {
  std::vector<Open>& open = stack();
  for (std::size_t i = open.size(); i-- > 0;) {
    if (open[i].domain != domain) continue;
    if (Recorder* const recorder = Recorder::current()) {
      Range range;
      range.thread = thread_number();
      range.start = open[i].start;
      range.end = now();
      recorder->range(range, open[i].path);
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    return depth(domain);
  }
  return NVTX_NO_PUSH_POP_TRACKING;
}

std::string narrow(const wchar_t* text) {
  std::string bytes;
  for (; text != nullptr && *text != L'\0'; ++text) {
    const auto code = static_cast<std::uint32_t>(*text);
    const auto byte = [&](std::uint32_t value) { bytes += static_cast<char>(value); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xc0U | code >> 6U);
      byte(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
      byte(0xe0U | code >> 12U);
      byte(0x80U | (code >> 6U & 0x3fU));
      byte(0x80U | (code & 0x3fU));
    } else {
      byte(0xf0U | (code >> 18U & 7U));
      byte(0x80U | (code >> 12U & 0x3fU));
      byte(0x80U | (code >> 6U & 0x3fU));
      byte(0x80U | (code & 0x3fU));
    }
  }
  return bytes;
}

std::string plain(const char* text) { return text == nullptr ? "" : text; }

// Behind the handles that NVTX gives its callers.
struct Registered {
  std::string text;
};

std::string message_of(const nvtxEventAttributes_t* event) {
  if (event == nullptr) return {};
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return plain(event->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return narrow(event->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const auto* known = reinterpret_cast<const Registered*>(event->message.registered);
      return known == nullptr ? std::string() : known->text;
    }
    default:
      return {};
  }
}

int NVTX_API push_plain(const char* message) { return push(nullptr, plain(message)); }
int NVTX_API push_wide(const wchar_t* message) { return push(nullptr, narrow(message)); }
int NVTX_API push_event(const nvtxEventAttributes_t* event) {
  return push(nullptr, message_of(event));
}
int NVTX_API pop_plain() { return pop(nullptr); }
int NVTX_API push_in(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return push(domain, message_of(event));
}
int NVTX_API pop_in(nvtxDomainHandle_t domain) { return pop(domain); }

// Handles stay for as long as the program: there are few, and it may use them until its end.
template <typename Handle>
Handle registered(std::string text) {
  return reinterpret_cast<Handle>(new Registered{std::move(text)});
}
nvtxStringHandle_t NVTX_API string_plain(nvtxDomainHandle_t /*domain*/, const char* text) {
  return registered<nvtxStringHandle_t>(plain(text));
}
nvtxStringHandle_t NVTX_API string_wide(nvtxDomainHandle_t /*domain*/, const wchar_t* text) {
  return registered<nvtxStringHandle_t>(narrow(text));
}
nvtxDomainHandle_t NVTX_API domain_plain(const char* name) {
  return registered<nvtxDomainHandle_t>(plain(name));
}
nvtxDomainHandle_t NVTX_API domain_wide(const wchar_t* name) {
  return registered<nvtxDomainHandle_t>(narrow(name));
}

struct Row {
  unsigned id;
  NvtxFunctionPointer function;
};

template <typename Function>
Row row(unsigned id, Function* function) {
  return {id, reinterpret_cast<NvtxFunctionPointer>(function)};
}

void fill(const NvtxExportTableCallbacks& from, NvtxCallbackModule module,
          const std::vector<Row>& rows) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (from.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return;
  for (const Row& one : rows) {
    if (one.id < size && table[one.id] != nullptr) *table[one.id] = one.function;
  }
}

}  // namespace

std::string_view open_ranges() {
  const std::vector<Open>& open = stack();
  return open.empty() ? std::string_view() : std::string_view(open.back().path);
}

}  // namespace lab::record

// NVTX is compiled into each library that uses it, and each of them calls this once.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  using namespace lab::record;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks) return 0;
  fill(*callbacks, NVTX_CB_MODULE_CORE,
       {row(NVTX_CBID_CORE_RangePushEx, push_event), row(NVTX_CBID_CORE_RangePushA, push_plain),
        row(NVTX_CBID_CORE_RangePushW, push_wide), row(NVTX_CBID_CORE_RangePop, pop_plain)});
  fill(
      *callbacks, NVTX_CB_MODULE_CORE2,
      {row(NVTX_CBID_CORE2_DomainRangePushEx, push_in), row(NVTX_CBID_CORE2_DomainRangePop, pop_in),
       row(NVTX_CBID_CORE2_DomainRegisterStringA, string_plain),
       row(NVTX_CBID_CORE2_DomainRegisterStringW, string_wide),
       row(NVTX_CBID_CORE2_DomainCreateA, domain_plain),
       row(NVTX_CBID_CORE2_DomainCreateW, domain_wide)});
  return 1;
}
