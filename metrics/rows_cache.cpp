// Traffic between L1, L2 and DRAM.
#include "harness/core/metric_keys.h"
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kOrderOfWarps =
    "Which access finds its sector depends on the order of the warps, so it varies between runs. A "
    "sector that is still on its way counts as a hit.";
constexpr std::string_view kNoCaches =
    "the model counts what must move, not what caches happen to hold";
constexpr std::string_view kMergedReads =
    "On GH100, reads of one sector by several SMs merge on their way: L2 counts fewer sectors than "
    "the L1 caches receive.";
constexpr std::string_view kWritesHit =
    "Writes always hit: a kernel that mostly stores shows a high rate that says nothing.";
constexpr std::string_view kLoneSectors =
    "HBM parts fetch 64 bytes at a time: a lone sector costs two. Stores that leave a sector "
    "partly written read the rest of it.";
constexpr std::string_view kNoImages =
    "textures and surfaces go through L1 by rules of their own, which were not measured";
constexpr std::string_view kNoChannels =
    "how addresses are spread over DRAM channels is not public";

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

}  // namespace

std::vector<Metric> cache_rows() {
  return {
      {
          .key = metric::kL1LoadHitSectors,
          .title = "L1 sectors, hit",
          .unit = "sector",
          .text = "Sectors of global loads that were in L1.",
          .cupti = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
          .sets = {kDefault},
          .ncu = {kL1, "Global Load", "Sectors x Hit Rate"},
          .traps = {kOrderOfWarps},
          .why_not = kNoCaches,
      },
      {
          .key = metric::kL1HitRate,
          .title = "hit rate, L1",
          .unit = "fraction",
          .text = "Share of the global loads' sectors that were in L1.",
          .derived = {Rule::kRatio, {metric::kL1LoadHitSectors, metric::kGlobalLoadSectors}},
          .ncu = {kL1, "Global Load", "Hit Rate"},
          .traps = {kReadyMadeCosts, kOrderOfWarps},
          .why_not = kNoCaches,
      },
      {
          .key = metric::kL1FillSectors,
          .title = "L1 sectors, filled",
          .unit = "sector",
          .text = "Sectors that the L1 caches received for loads: what missed in L1.",
          .cupti = "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum",
          .ncu = {kL1, "Loads", "Sector Misses to L2"},
          .traps = {kMergedReads},
          .why_not = kNoCaches,
      },
      {
          .key = metric::kL2ReadSectors,
          .title = "L2 sectors, read",
          .unit = "sector",
          .metric_class = Class::kBanded,
          .text = "Sectors that the SMs read from L2. Theory and model give what must move at "
                  "least, and at most where nothing is found in L1.",
          .cupti = "lts__t_sectors_srcunit_tex_op_read.sum",
          .model = InModel::kCounted,
          .band = kReads,
          .sets = {kDefault},
          .ncu = {kL2, "L1/TEX Load", "Sectors"},
          .traps = {"lts__t_sectors_op_read also counts traffic between the halves of L2 (GA100, "
                    "GH100) and of other units: only srcunit_tex belongs to the kernel.",
                    kMergedReads, kAsL2WasLeft},
      },
      {
          .key = metric::kL2WriteSectors,
          .title = "L2 sectors, write",
          .unit = "sector",
          .metric_class = Class::kBanded,
          .text = "Sectors that the SMs write to L2.",
          .cupti = "lts__t_sectors_srcunit_tex_op_write.sum",
          .model = InModel::kCounted,
          .band = kWrites,
          .sets = {kDefault},
          .ncu = {kL2, "L1/TEX Store", "Sectors"},
          .traps = {"L1 merges stores that follow each other: fewer sectors reach L2 than the "
                    "stores touch."},
      },
      {
          .key = metric::kL2HitSectors,
          .title = "L2 sectors, hit",
          .unit = "sector",
          .text = "Sectors that the SMs asked L2 for, reads and writes, and that it held.",
          .cupti = "lts__t_sectors_srcunit_tex_lookup_hit.sum",
          .sets = {kDefault},
          .ncu = {kL2, "L1/TEX Total", "Sectors x Hit Rate"},
          .traps = {kWritesHit},
          .why_not = kNoCaches,
      },
      {
          .key = metric::kL2HitRate,
          .title = "hit rate, L2",
          .unit = "fraction",
          .text =
              "Share of the SMs' sectors, reads and writes, that were in L2. Writes always hit.",
          .derived = {Rule::kRatio, {metric::kL2HitSectors, metric::kL2Sectors}},
          .ncu = {kL2, "L1/TEX Total", "Hit Rate"},
          .traps = {kReadyMadeCosts, kWritesHit, kAsL2WasLeft},
          .why_not = kNoCaches,
      },
      {
          .key = metric::kL2FillSectors,
          .title = "L2 sectors, filled",
          .unit = "sector",
          .text = "Sectors that L2 received from DRAM.",
          .cupti = "lts__d_sectors_fill_device.sum",
          .elsewhere = {{"GB10B", "lts__d_sectors_fill_sysmem.sum"}},
          .sets = {kDefault},
          .ncu = {kL2, "GPU Total", "Sector Misses to Device"},
          .traps = {kLoneSectors, kWholeChipCounted},
          .why_not = kNoCaches,
      },
      {
          .key = metric::kDramReadBytes,
          .title = "DRAM bytes, read",
          .unit = "byte",
          .metric_class = Class::kBanded,
          .text = "Bytes read from DRAM with a cold L2. HBM parts read 64 bytes at a time, so a "
                  "lone sector costs two.",
          .cupti = "dram__bytes_read.sum",
          .elsewhere = {{kGb20x, "dram__bytes_op_read.sum"}, {kNoDram, ""}},
          .model = InModel::kCounted,
          .band = kDramReads,
          .sets = {kDefault},
          .ncu = {kDevice, "Load", "Bytes"},
          .traps = {kLoneSectors, kWholeChipCounted, kAsL2WasLeft},
      },
      {
          .key = metric::kDramWriteBytes,
          .title = "DRAM bytes, write",
          .unit = "byte",
          .metric_class = Class::kBanded,
          .text = "Bytes written to DRAM while the kernel ran. L2 writes back late: an output "
                  "smaller than L2 may show none.",
          .cupti = "dram__bytes_write.sum",
          .elsewhere = {{kGb20x, "dram__bytes_op_write.sum"}, {kNoDram, ""}},
          .model = InModel::kCounted,
          .band = kDramWrites,
          .sets = {kDefault},
          .ncu = {kDevice, "Store", "Bytes"},
          .traps = {kWrittenLate, kWholeChipCounted},
      },
      {
          .key = metric::kTextureRequests,
          .title = "requests, textures",
          .unit = "request",
          .text = "Requests of textures to L1.",
          .cupti = "l1tex__t_requests_pipe_tex_mem_texture.sum",
          .why_not = kNoImages,
      },
      {
          .key = metric::kTextureSectors,
          .title = "sectors, textures",
          .unit = "sector",
          .text = "Sectors that textures ask L1 for.",
          .cupti = "l1tex__t_sectors_pipe_tex_mem_texture.sum",
          .why_not = kNoImages,
      },
      {
          .key = metric::kSurfaceRequests,
          .title = "requests, surfaces",
          .unit = "request",
          .text = "Requests of surfaces to L1, reads and writes.",
          .cupti = "l1tex__t_requests_pipe_tex_mem_surface.sum",
          .why_not = kNoImages,
      },
      {
          .key = metric::kSurfaceSectors,
          .title = "sectors, surfaces",
          .unit = "sector",
          .text = "Sectors that surfaces ask L1 for, reads and writes.",
          .cupti = "l1tex__t_sectors_pipe_tex_mem_surface.sum",
          .why_not = kNoImages,
      },
      {
          .key = metric::kDramBusiestChannelBytes,
          .title = "channel bytes, busiest",
          .unit = "byte",
          .text = "Bytes read from the busiest DRAM channel.",
          .cupti = "dram__bytes_read.max",
          .elsewhere = {{kGb20x, "dram__bytes_op_read.max"}, {kNoDram, ""}},
          .why_not = kNoChannels,
      },
      {
          .key = metric::kDramMeanChannelBytes,
          .title = "channel bytes, mean",
          .unit = "byte",
          .text = "Bytes read from a DRAM channel on average.",
          .cupti = "dram__bytes_read.avg",
          .elsewhere = {{kGb20x, "dram__bytes_op_read.avg"}, {kNoDram, ""}},
          .why_not = kNoChannels,
      },
      {
          .key = metric::kDramChannelBalance,
          .title = "channel bytes, busiest / mean",
          .unit = "ratio",
          .text = "Bytes of the busiest DRAM channel over the average of all channels: 1 is even.",
          .derived = {Rule::kRatio,
                      {metric::kDramBusiestChannelBytes, metric::kDramMeanChannelBytes}},
          .why_not = kNoChannels,
      },
      {
          .key = metric::kL2Sectors,
          .title = "L2 sectors, both ways",
          .unit = "sector",
          .text = "Sectors between the SMs and L2, both ways, without atomics.",
          .derived = {Rule::kSum, {metric::kL2ReadSectors, metric::kL2WriteSectors}},
          .model = InModel::kDerived,
          .ncu = {kL2, "L1/TEX Load and L1/TEX Store", "Sectors"},
      },
  };
}

}  // namespace lab::metrics
