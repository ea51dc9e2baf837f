// What a user's first program does: one header, one call.

#include <cstring>

#include "monofold/platform/version.hpp"

int main() { return std::strlen(monofold::version) > 0 ? 0 : 1; }
