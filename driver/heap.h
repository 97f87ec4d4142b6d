// The heap of a compilation.
#pragma once

namespace nikaia::driver {

// Asks for the heap's first part to be laid out in huge pages. A compilation touches about 2 KB a line and gives
// nothing back before it ends; in pages of 4 KB a fifth of its time went into the kernel's making them. Call it once,
// before the first file is read, from the main thread. Where the system has no such pages, or not the address space,
// nothing changes. Cost: two system calls; memory is taken only as it is written to.
void prefer_huge_pages();

}  // namespace nikaia::driver
