// Memory of the machine and of this process.
#pragma once

#include <cstdint>

#include "bench/records.h"

namespace stepbench::bench {

// Bytes that new allocations can use without swapping: MemAvailable, or the container's limit where
// that is smaller. kNoInt where the system does not tell.
Int available_memory();

// Resident bytes of this process; kNoInt where the system does not tell.
Int resident_memory();

// Processor seconds of this process, all threads.
Real processor_seconds();

// Mean clock of the cores in MHz; NaN where the system does not tell.
Real clock_mhz();

// Hardware threads that this process may use.
int usable_threads();

}  // namespace stepbench::bench
