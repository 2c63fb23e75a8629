#include "cli/program.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "bench/error.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/model/reader.h"
#include "reports/csv.h"
#include "reports/files.h"

namespace stepbench::cli {
namespace {

ExitCode dispatch(const std::vector<std::string>& args) {
  const ParseResult parsed =
      parse_command_line({args.begin() + 1, args.end()},
                         [](const std::string& name) { return std::getenv(name.c_str()); });
  if (!parsed.raw) {
    write_out(parsed.text);
    return kExitOk;
  }
  const Options o = resolve(*parsed.raw);
  switch (parsed.raw->command->id) {
    case kRun:
      return command_run(o, args);
    case kPlan:
      return command_plan(o);
    case kInspect:
      return command_inspect(o);
    case kTrace:
      return command_trace(o);
    case kCheck:
      return command_check(o);
    case kHash:
      return command_hash(o);
    case kExport:
      return command_export(o);
    case kEnv:
      return command_env(o, args);
    case kColumns:
      return command_columns(o);
  }
  return kExitUsage;
}

// Messages are one line: control characters in them can come from file names.
ExitCode fail(ExitCode code, std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\x1b'; }, ' ');
  complain(text);
  return code;
}

}  // namespace

ExitCode run_program(const std::vector<std::string>& args) {
  // A reader that goes away shows as a failed write, which is harmless (write_out).
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return dispatch(args);
  } catch (const bench::UsageError& e) {
    return fail(kExitUsage, e.what());
  } catch (const model::ModelError& e) {
    return fail(e.file() == model::kOverridesFile ? kExitUsage : kExitScene, e.what());
  } catch (const reports::FileError& e) {
    return fail(kExitUsage, e.what());
  } catch (const reports::CsvError& e) {
    return fail(kExitUsage, e.what());
  } catch (const bench::CellError& e) {
    return fail(kExitInvalid, e.what());
  } catch (const std::bad_alloc&) {
    return fail(kExitInvalid, "out of memory; use fewer worlds");
  } catch (const std::invalid_argument& e) {
    return fail(kExitUsage, e.what());
  } catch (const std::exception& e) {
    return fail(kExitInvalid, e.what());
  }
}

}  // namespace stepbench::cli
