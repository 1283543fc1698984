// The driver API is not modelled: its types alone, as far as the runtime shares them.
#pragma once

#include "cuda_runtime.h"
