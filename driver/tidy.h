// Keeping what builds leave behind from growing without end. Everything removed here is made again
// when it is wanted; nothing that was used in the last hour is touched, so that no running build
// loses a file under its hands.
#ifndef NIKAIA_DRIVER_TIDY_H
#define NIKAIA_DRIVER_TIDY_H

#include <filesystem>

namespace nikaia::driver {

// In a project's output folder: store entries nobody used for two weeks, programs and emitted texts
// beyond the sixteen newest, and what killed builds left behind. At most once an hour.
void tidy_store(const std::filesystem::path& output);

// In the user's cache: precompiled headers beyond the three newest.
void tidy_headers(const std::filesystem::path& cache);

// In the user's cache: what was built of single files that are no longer there. Says that `source`
// is what lies in `folder`. At most once a minute beyond that.
void remember_single_file(const std::filesystem::path& cache, const std::filesystem::path& folder,
                          const std::filesystem::path& source);

}  // namespace nikaia::driver

#endif
