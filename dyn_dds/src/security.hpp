// DDS Security: who takes part has a certificate, and what is said can be read and signed by those only.
#pragma once

#include <string>

#include <dds/dds.h>

namespace dyn_dds {

/// Has a participant made with `qos` prove who it is and ask others to, by the files of `folder`, laid out
/// as the enclaves of SROS2. Throws Failure where a file or Cyclone DDS' plugins are missing.
void secure(dds_qos_t* qos, const std::string& folder);

}  // namespace dyn_dds
