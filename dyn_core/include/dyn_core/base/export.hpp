// What the shared library lets a program call: nothing but what is marked so. Templates and inline functions
// never are: program and library have each their own, so that neither runs what the other compiled.
#pragma once

/// Before the name of a class, or in front of a function, that is defined in a source file; also of a class
/// that a marked template is given.
#define DYN_CORE_EXPORT [[gnu::visibility("default")]]
