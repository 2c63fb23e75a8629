#include "reports/progress.h"

#include <gtest/gtest.h>

namespace stepbench::reports {
namespace {

TEST(Progress, BarShowsCellsAndTimeLeft) {
  ProgressState s;
  s.done = 9;
  s.total = 14;
  s.fraction = 9.0 / 14;
  s.left_s = 72;
  EXPECT_EQ(progress_bar(s, 80), "[#########-----] 9/14 cells  1m12s left");
  s.note = "stepbench f32 1024 worlds";
  EXPECT_EQ(progress_bar(s, 80),
            "[#########-----] 9/14 cells  1m12s left  stepbench f32 1024 worlds");
  EXPECT_EQ(progress_bar(s, 30), "[#########-----] 9/14 cells  ");
  s.fraction = 2;
  s.left_s = -1;
  s.note.clear();
  EXPECT_EQ(progress_bar(s, 80), "[##############] 9/14 cells");
}

TEST(Progress, JsonIsOneLine) {
  ProgressState s;
  s.done = 1;
  s.total = 4;
  s.fraction = 0.25;
  s.note = "a \"b\"";
  EXPECT_EQ(progress_json(s),
            R"({"event":"progress","cells_done":1,"cells_total":4,"fraction":0.2500,)"
            R"("left_s":null,"cell":"a \"b\""})");
}

TEST(Progress, KindFollowsTheTerminal) {
  Terminal tty;
  tty.interactive = true;
  EXPECT_EQ(progress_kind("auto", tty), ProgressKind::kBar);
  EXPECT_EQ(progress_kind("auto", Terminal{}), ProgressKind::kNone);
  EXPECT_EQ(progress_kind("json", Terminal{}), ProgressKind::kJson);
  EXPECT_EQ(progress_kind("none", tty), ProgressKind::kNone);
  EXPECT_FALSE(progress_kind("fancy", tty).has_value());
}

}  // namespace
}  // namespace stepbench::reports
