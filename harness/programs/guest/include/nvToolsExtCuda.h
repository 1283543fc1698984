// NVTX's names of streams and events: nobody reads them.
#pragma once

#include "nvToolsExt.h"
