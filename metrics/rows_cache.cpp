// Traffic between L1, L2 and DRAM.
#include "metrics/rows.h"

#include "harness/core/metric_keys.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kL1Table = "memory__first_level_cache_table";
constexpr std::string_view kL2Table = "memory__l2_cache_table";
constexpr std::string_view kDramTable = "memory__dram_table";
constexpr std::string_view kNoChannels =
    "how addresses are spread over DRAM channels is not public";
constexpr std::string_view kNoCaches =
    "the model counts what must move, not what caches happen to hold";

constexpr std::string_view kNoImages =
    "textures and surfaces go through L1 by rules of their own, which were not measured";

struct ImageRow {
  std::string_view key, unit, cupti, text;
};
constexpr ImageRow kImages[] = {
    {metric::kTextureRequests, "request", "l1tex__t_requests_pipe_tex_mem_texture.sum",
     "Requests of textures to L1."},
    {metric::kTextureSectors, "sector", "l1tex__t_sectors_pipe_tex_mem_texture.sum",
     "Sectors that textures ask L1 for."},
    {metric::kSurfaceRequests, "request", "l1tex__t_requests_pipe_tex_mem_surface.sum",
     "Requests of surfaces to L1, reads and writes."},
    {metric::kSurfaceSectors, "sector", "l1tex__t_sectors_pipe_tex_mem_surface.sum",
     "Sectors that surfaces ask L1 for, reads and writes."},
};

// L2 reads moved by one or two sectors between runs of one kernel on an H200.
constexpr Band kReads = {0.0005, 4, false, "fetches of instructions and parameters count as well",
                         "requests of several SMs for one sector merge on their way"};
constexpr Band kWrites = {0.0005, 4, false,
                          "L1 did not merge all of the stores that follow each other closely",
                          "L1 merges stores that follow each other closely"};
// Up to 9 kB more than the kernel's own were seen beside kernels of a few us on an H200, up to
// 102 kB beside one of 2.4 ms, and in 2 of 11 runs 94,368 and 121,248 bytes read beside one of
// 0.6 ms (lab 10, chase). Now and then up to 262,144 bytes are written at once: on the H200, and on
// an H100 beside a kernel of 1.06 ms that writes nothing itself. On the H200 kernels that write
// next to nothing were seen beside 98,304 (of 75 us), 235,776 (of 303 us), 45,056 and 90,112 (both
// of 4 blocks).
constexpr std::string_view kWholeChip =
    "DRAM counters count the whole chip: ECC, the display and instruction fetches are included";
constexpr Band kDramReads = {0.01, 32768, false, kWholeChip, "L2 held a part of it already",
                             50,   0,     65536};
constexpr Band kDramWrites = {0.01,
                              49152,
                              false,
                              kWholeChip,
                              "L2 writes back late, and held a part of it when the kernel ended",
                              50,
                              262144};

Metric traffic(std::string_view key, std::string_view unit, std::string_view cupti,
               std::string_view table, const Band& band, std::string_view text) {
  Metric row{key, unit, Class::kBanded, cupti};
  row.model = InModel::kCounted;
  row.band = band;
  row.table = table;
  row.text = text;
  return row;
}

Metric hits(std::string_view key, std::string_view cupti, std::string_view table,
            std::string_view text) {
  Metric row{key, "sector", Class::kContext, cupti};
  row.why_not = kNoCaches;
  row.table = table;
  row.text = text;
  return row;
}

Metric rate(std::string_view key, Derivation derivation, std::string_view table,
            std::string_view text) {
  Metric row{key, "fraction", Class::kContext};
  row.derived = std::move(derivation);
  row.why_not = kNoCaches;
  row.table = table;
  row.text = text;
  return row;
}

}  // namespace

std::vector<Metric> cache_rows() {
  std::vector<Metric> rows = {
      hits(metric::kL1LoadHitSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
           kL1Table, "Sectors of global loads that were in L1."),
      rate(metric::kL1HitRate,
           {Rule::kRatio, {metric::kL1LoadHitSectors, metric::kGlobalLoadSectors}}, kL1Table,
           "Share of the global loads' sectors that were in L1."),
      hits(metric::kL1FillSectors, "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum", kL1Table,
           "Sectors that the L1 caches received for loads: what missed in L1."),
      traffic(metric::kL2ReadSectors, "sector", "lts__t_sectors_srcunit_tex_op_read.sum", kL2Table,
              kReads,
              "Sectors that the SMs read from L2. Theory and model give what must move at least, "
              "and at most where nothing is found in L1."),
      traffic(metric::kL2WriteSectors, "sector", "lts__t_sectors_srcunit_tex_op_write.sum",
              kL2Table, kWrites, "Sectors that the SMs write to L2."),
      hits(metric::kL2HitSectors, "lts__t_sectors_srcunit_tex_lookup_hit.sum", kL2Table,
           "Sectors that the SMs asked L2 for, reads and writes, and that it held."),
      rate(metric::kL2HitRate, {Rule::kRatio, {metric::kL2HitSectors, metric::kL2Sectors}},
           kL2Table,
           "Share of the SMs' sectors, reads and writes, that were in L2. Writes always hit."),
      hits(metric::kL2FillSectors, "lts__d_sectors_fill_device.sum", kL2Table,
           "Sectors that L2 received from DRAM."),
      traffic(metric::kDramReadBytes, "byte", "dram__bytes_read.sum", kDramTable, kDramReads,
              "Bytes read from DRAM with a cold L2. HBM parts read 64 bytes at a time, so a lone "
              "sector costs two."),
      traffic(metric::kDramWriteBytes, "byte", "dram__bytes_write.sum", kDramTable, kDramWrites,
              "Bytes written to DRAM while the kernel ran. L2 writes back late: an output smaller "
              "than L2 may show none."),
  };
  for (const ImageRow& image : kImages) {
    Metric row{image.key, image.unit, Class::kContext, image.cupti};
    row.why_not = kNoImages;
    row.text = image.text;
    rows.push_back(row);
  }
  Metric busiest{metric::kDramBusiestChannelBytes, "byte", Class::kContext, "dram__bytes_read.max"};
  busiest.why_not = kNoChannels;
  busiest.table = kDramTable;
  busiest.text = "Bytes read from the busiest DRAM channel.";
  rows.push_back(busiest);
  Metric mean{metric::kDramMeanChannelBytes, "byte", Class::kContext, "dram__bytes_read.avg"};
  mean.why_not = kNoChannels;
  mean.table = kDramTable;
  mean.text = "Bytes read from a DRAM channel on average.";
  rows.push_back(mean);
  auto balance = rate(
      metric::kDramChannelBalance,
      {Rule::kRatio, {metric::kDramBusiestChannelBytes, metric::kDramMeanChannelBytes}}, kDramTable,
      "Bytes of the busiest DRAM channel over the average of all channels: 1 is even.");
  balance.unit = "ratio";
  balance.why_not = kNoChannels;
  rows.push_back(balance);
  Metric l2{metric::kL2Sectors, "sector", Class::kContext};
  l2.derived = {Rule::kSum, {metric::kL2ReadSectors, metric::kL2WriteSectors}};
  l2.model = InModel::kDerived;
  l2.table = kL2Table;
  l2.text = "Sectors between the SMs and L2, both ways, without atomics.";
  rows.push_back(l2);
  return rows;
}

}  // namespace lab::metrics
