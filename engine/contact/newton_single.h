#pragma once
#include "engine/contact/minimise.h"
namespace stepbench::contact::inline SB_ISA {
template <class Lane>
SB_HD void solve_islands(Context<Lane>&) {}
}
