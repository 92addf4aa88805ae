// How things go wrong: a sentence while configuring, an enumerator while running.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "dyn_core/base/export.hpp"

namespace dyn {

/// Outcome of a query in the real-time path. Nothing is thrown, logged or allocated there.
enum class [[nodiscard]] Status : std::uint8_t{
    kOk,         ///< the outputs are valid
    kWrongSize,  ///< an argument does not have the chain's number of coordinates; outputs untouched
    kNotFinite,  ///< an input or a result is NaN or infinite; the outputs must not be used
    kSingular,   ///< the mass matrix is not positive definite at this configuration
    kUnsupported,  ///< the chosen algorithm cannot do this for this chain
    kNoInertia,    ///< links of the chain have no inertia
    kOverspeed,    ///< a joint moved faster than it ever may (control)
    kTrackingError,  ///< a joint or the tip was further from its reference than it ever may be (control)
    kOscillation,  ///< a torque went from limit to limit, over and over (control)
    kMissing,      ///< the joint states do not hold what it needs (inspect)
};

/// A short phrase for `status`, for messages outside the real-time path.
DYN_CORE_EXPORT [[nodiscard]] const char* to_string(Status status) noexcept;

/// What a configure-time function reports: one sentence that says what is wrong, where, and what to
/// do about it.
struct Error {
  std::string sentence;
};

template <class Value>
using Result = tl::expected<Value, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string sentence) {
  return tl::unexpected<Error>(Error{std::move(sentence)});
}

}  // namespace dyn
