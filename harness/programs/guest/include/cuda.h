// The driver API is not modelled: its types alone, as far as the runtime shares them.
#pragma once

#include "cuda_runtime.h"

#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
