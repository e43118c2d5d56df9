// Reads and writes JSON with the names that programs of Botzone use for it (those of JsonCpp 1.9).
// Everything is defined in the headers, so nothing has to be linked.
#pragma once

#include "reader.h"
#include "value.h"
#include "writer.h"
