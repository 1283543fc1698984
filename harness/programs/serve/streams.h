// The streams of a program, and what is wrong with the order of their work: two works that nothing
// orders use the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/programs/serve/lines.h"
#include "harness/programs/serve/order.h"
#include "harness/programs/serve/works.h"
#include "harness/programs/wire/wire.h"

namespace lab::program {

class Streams {
 public:
  /// A mistake, at the line of the later work.
  struct Mistake {
    std::string text;
    Line line;
  };
  /// "byte 8 of 'x'" for an address.
  using Describe = std::function<std::string(std::uint64_t address)>;

  explicit Streams(Describe describe) : describe_(std::move(describe)) {}

  void stream(const StreamCall& call, Site site, const Line& line);
  void work(const WorkCall& call, const Line& line);
  void record(const RecordCall& call);
  void waits(const StreamWaits& call) { order_.wait(call.stream, call.event); }
  void host_waits(const HostWaits& call);
  /// Whether the host knows that this work is done.
  [[nodiscard]] bool is_done(std::uint64_t number) const;

  /// Whether any launch may run beside another work: else what it touches need not be known.
  [[nodiscard]] bool several() const { return order_.several(); }
  /// The work under way uses memory. Mistakes are told once for each pair of lines.
  [[nodiscard]] std::vector<Mistake> use(WorkKind kind, const std::string& name, const Line& line,
                                         Uses uses);
  /// The host frees memory and has waited for nothing.
  [[nodiscard]] std::optional<Mistake> free_at_once(Span memory, const Line& line);
  /// "fill (app.cu:12)" for a work that is kept; empty: it is not.
  [[nodiscard]] std::string named(std::uint64_t number) const;

 private:
  struct Known {
    StreamOrder order = StreamOrder::kBlocking;
    std::string name;
    int number = 1;  ///< of those with this name
  };
  [[nodiscard]] std::string name_of(std::uint64_t stream) const;
  [[nodiscard]] StreamOrder order_of(std::uint64_t stream) const;
  [[nodiscard]] std::string text_of(const Work& later, const Meeting& met) const;
  [[nodiscard]] std::string cure_of(const Work& later, const Work& earlier) const;

  Describe describe_;
  Order order_;
  Works works_;
  Work now_;  ///< without its uses
  std::map<std::uint64_t, Known> known_;
  std::map<std::string, int> names_;                ///< how many streams have it
  std::map<std::string, std::vector<Site>> calls_;  ///< by line: those that make streams
  std::map<std::uint64_t, Moment> pending_;         ///< by number: the host may ask
  std::map<std::string, std::string> told_;         ///< the text for two lines
};

}  // namespace lab::program
