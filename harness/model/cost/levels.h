// Functions whose loops gain much from wide vectors: compiled for each level of the x86-64 psABI;
// the loader takes the one that fits. Not under the sanitizers, which run before it has chosen.
#pragma once

#if defined(__x86_64__) && !defined(LAB_SANITIZED)
#define LAB_ALL_LEVELS [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define LAB_ALL_LEVELS
#endif
