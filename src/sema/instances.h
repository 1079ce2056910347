#pragma once
#include <vector>

#include "sema/context.h"

/// Static rules of systems (language.md §2). Internal to sema/.
namespace chi::sema {

/// Checks the instances of a system: what they refer to, their arguments, labels and priorities.
void check_instances(Context& c, Slice<syntax::InstanceId> instances);

/// Checks the instance of a `start`: a process without equations, and its arguments.
void check_start(Context& c, syntax::InstanceId instance);

/// Reports systems that contain themselves, directly or through others.
void check_nesting(Context& c);

}  // namespace chi::sema
