// As it is called since CUDA 11.
#pragma once

#include "../nvToolsExt.h"
