#pragma once
#include "../jsoncpp/json.h"
