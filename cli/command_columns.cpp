// `stepbench columns`: what each column of the CSV files means.
#include "reports/columns.h"

#include "cli/commands.h"
#include "cli/output.h"

namespace stepbench::cli {

ExitCode command_columns(const Options& o) {
  switch (o.format) {
    case Format::kText:
      write_out(reports::columns_text());
      break;
    case Format::kCsv:
      write_out(reports::columns_csv());
      break;
    case Format::kJson:
      write_out(reports::columns_json());
      break;
    case Format::kMarkdown:
      write_out(reports::columns_markdown());
      break;
  }
  return kExitOk;
}

}  // namespace stepbench::cli
