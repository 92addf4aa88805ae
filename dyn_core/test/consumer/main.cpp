#include <cstdio>

#include <dyn_core/chain.hpp>
#include <dyn_core/urdf.hpp>

int main() {
  const dyn::Result<dyn::ChainPtr> chain = dyn::load_urdf(ROBOTS_DIR "/arm7.urdf");
  if (!chain) {
    std::fprintf(stderr, "%s\n", chain.error().sentence.c_str());
    return 1;
  }
  std::printf("%s moves %d joints\n", (*chain)->name().c_str(), static_cast<int>((*chain)->dof()));
}
