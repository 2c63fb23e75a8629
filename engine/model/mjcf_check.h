// First pass over a scene: the schema.
#pragma once

#include "engine/model/mjcf_context.h"
#include "engine/model/schema.h"

namespace stepbench::model::mjcf {

// Check all elements below `parent` (whose row is `node`): unknown elements and attributes,
// repeated elements and names that are not UTF-8 throw; unsupported ones are noted.
void check_children(Context& c, const Element& parent, const SchemaNode& node);
void check_attributes(Context& c, const Element& e, const SchemaNode& node);

// Check the whole document, root included.
void check_schema(Context& c, const Element& root);

}  // namespace stepbench::model::mjcf
