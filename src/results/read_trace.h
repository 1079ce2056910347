#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "results/trace.h"

namespace chi::results {

enum class ResultFormat { Csv, Json, Mat };

/// By the ending of a file's name: .csv, .json, .mat.
std::optional<ResultFormat> result_format(std::string_view path);

/// Reads results back: what csv_text, json_text and mat_text write, and trajectories of Dymola and
/// OpenModelica ("binTrans" or "binNormal"). Empty, with the reason in `problem`, if `text` is
/// nothing of the kind. The values of booleans and integers come back as reals: files do not say
/// what they were.
std::optional<Trace> read_trace(std::string_view text, ResultFormat format, std::string& problem);

// One format each.
std::optional<Trace> read_csv(std::string_view text, std::string& problem);
std::optional<Trace> read_json(std::string_view text, std::string& problem);
std::optional<Trace> read_mat(std::string_view text, std::string& problem);

}  // namespace chi::results
