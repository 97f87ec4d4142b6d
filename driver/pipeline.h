// Which passes there are, from which files, and in which order they run (language reference 06
// §1.2).
//
// Loading: each plugin file's ABI tag is compared before anything else of its descriptor is
// touched; what a pass states is then checked for being well formed. Order: tree passes, then the
// transform that provides NIR, then NIR passes, then the emission pass and the reports; within such
// a stage topologically by facts (a provider before who requires; a transform that changes a fact
// before who only reads it), and by name where the facts leave it open. The order is a function of
// the set of passes.
#ifndef NIKAIA_DRIVER_PIPELINE_H
#define NIKAIA_DRIVER_PIPELINE_H

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nikaia/pass.h>

#include "driver/command_line.h"
#include "driver/installation.h"
#include "driver/trouble.h"

namespace nikaia::plugin {
class Library;
}

namespace nikaia::driver {

struct PluginFile {
  std::filesystem::path path;
  bool own = false;      // of the installation
  std::string given_by;  // for messages: "`--pass-plugin`", "`[build] passes`"
};

struct PlacedPass {
  const nikaia::Pass* pass = nullptr;
  const PluginFile* file = nullptr;
  bool on = true;  // off: left out by `--disable-pass`, or an emission or report not asked for
  std::map<std::string, std::string> options;  // given ones
};

// An emission pass whose name begins with `report-`: what it writes is printed, not kept.
bool is_report(const nikaia::Pass& pass);

class Pipeline {
 public:
  Pipeline();
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;
  ~Pipeline();

  // All passes in execution order, those that are off among them.
  [[nodiscard]] const std::vector<PlacedPass>& passes() const { return passes_; }
  [[nodiscard]] const PlacedPass* find(std::string_view name) const;
  // The emission pass that was asked for; null where none was.
  [[nodiscard]] const PlacedPass* emission() const;

 private:
  friend class PipelineBuilder;
  std::vector<std::unique_ptr<PluginFile>> files_;
  std::vector<std::unique_ptr<plugin::Library>> libraries_;
  std::vector<PlacedPass> passes_;
};

struct PipelineRequest {
  std::vector<std::filesystem::path> plugins;  // of `--pass-plugin`
  std::vector<std::string> names;              // of `[build] passes`
  std::vector<Place> name_places;              // beside them
  std::vector<std::string> disabled;
  std::vector<PassOptionValue> options;
  std::vector<std::string> reports;  // the passes `report-NAME`, in the order they were asked for
  std::string emit;                  // the emission pass `emit-EMIT`
  bool must_have_emission = false;   // refused where that pass is not there
  bool must_produce_cpp = false;
};

// The files a request loads, in the order in which they are read: the installation's by name, then
// the manifest's, then the command line's; each file once. Fails where a name has no file.
Expected<std::vector<PluginFile>> find_plugins(const Installation& installation, const PipelineRequest& request);

// Loads and orders. Everything that can be wrong with a plugin is an ordinary failure here.
Expected<Pipeline> load_pipeline(const Installation& installation, const PipelineRequest& request);

}  // namespace nikaia::driver

#endif
