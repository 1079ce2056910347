#include "driver/read_model.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>

#include "driver/read_source.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".chi";
constexpr std::string_view kLibrary = "library/";  // how its files are called in messages

bool is_file(const std::string& path) {
  std::error_code none;
  return fs::exists(path, none) && !fs::is_directory(path, none);
}
bool is_folder(const std::string& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

std::string in_folder(const std::string& folder, const std::string& name) {
  if (folder.empty() || folder == ".") return name;
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash + 1));
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kSuffix) && !entry.is_directory(none)) {
      files.push_back(in_folder(folder, name));
    }
  }
  std::ranges::sort(files);
  return files;
}

// The files of a module in the library, as they are called in messages.
std::vector<std::string> library_module(const std::string& path) {
  std::vector<std::string> files;
  for (const LibraryFile& file : library_files()) {
    if (file.name == path + std::string(kSuffix)) return {std::string(kLibrary) + path + ".chi"};
    const bool inside = file.name.starts_with(path + "/") &&
                        file.name.find('/', path.size() + 1) == std::string_view::npos;
    if (inside) files.push_back(std::string(kLibrary) + std::string(file.name));
  }
  return files;
}

class Reader {
 public:
  Reader(std::vector<std::string> folders, Diagnostics& diagnostics)
      : folders_(std::move(folders)), diagnostics_(diagnostics) {}

  std::optional<SourceFile> read(const std::string& path) {
    main_ = read_source(path, diagnostics_);
    if (!main_) return std::nullopt;
    numbers_[key(path)] = 0;
    from_library_.push_back(0);
    for (std::int32_t f = 0; f < main_->file_count(); ++f) follow(f);
    report_cycle();
    return std::move(main_);
  }

 private:
  static std::string key(const std::string& path) {
    std::error_code none;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, none), none);
    return whole.empty() ? path : whole.string();
  }

  SourceFile& file(std::int32_t number) { return const_cast<SourceFile&>(main_->file(number)); }

  // Reads what a file imports.
  void follow(std::int32_t number) {
    const SourceFile& source = main_->file(number);
    if (source.text().find("import") == std::string_view::npos) return;
    Diagnostics none;  // its mistakes are told when it is compiled
    const syntax::Ast ast = syntax::parse(syntax::lex(source, none), none);
    std::vector<SourceFile::Link> links;
    for (const syntax::Import& import : ast.imports) {
      if (!import.module) continue;
      for (const std::int32_t target : module(number, ast, import)) {
        links.push_back({import.module.span, target});
      }
    }
    file(number).links = std::move(links);
  }

  std::vector<std::int32_t> module(std::int32_t from, const syntax::Ast& ast,
                                   const syntax::Import& import) {
    std::string path(ast.symbols.text(import.module.name));
    std::ranges::replace(path, '.', '/');
    std::vector<std::string> places = folders_;
    const bool library = from_library_[static_cast<std::size_t>(from)] != 0;
    if (!library) places.insert(places.begin(), folder_of(main_->file(from).name()));
    if (library) {
      if (const auto files = library_module(path); !files.empty()) {
        return numbers_of(files, true, import.module.span);
      }
    }
    for (const std::string& place : places) {
      const std::string base = in_folder(place, path);
      std::vector<std::string> files;
      if (is_file(base + std::string(kSuffix))) {
        files.push_back(base + std::string(kSuffix));
      } else if (is_folder(base)) {
        files = files_in(base);
      }
      if (!files.empty()) return numbers_of(files, false, import.module.span);
    }
    if (const auto files = library_module(path); !files.empty()) {
      return numbers_of(files, true, import.module.span);
    }
    report_missing(path, places, import.module.span);
    return {};
  }

  void report_missing(const std::string& path, const std::vector<std::string>& places, Span span) {
    std::string looked;
    for (const std::string& place : places) {
      looked += fmt::format("{}`{}`", looked.empty() ? "" : ", ", place.empty() ? "." : place);
    }
    std::string library;
    std::string_view last;
    for (const LibraryFile& file : library_files()) {
      const std::string_view module = module_of(file);
      if (module != last) library += fmt::format("{}{}", library.empty() ? "" : ", ", module);
      last = module;
    }
    diagnostics_.report(
        {.code = DiagCode::ImportNotFound,
         .span = span,
         .message = fmt::format("there is no `{}.chi` and no folder `{}`", path, path),
         .notes = {fmt::format("looked in {} and the library ({})", looked, library)},
         .help = "`--include DIR`, or the variable CHI_PATH, adds a folder to look in"});
  }

  std::vector<std::int32_t> numbers_of(const std::vector<std::string>& files, bool library,
                                       Span span) {
    std::vector<std::int32_t> numbers;
    for (const std::string& path : files) {
      if (const auto number = number_of(path, library, span)) numbers.push_back(*number);
    }
    return numbers;
  }

  std::optional<std::int32_t> number_of(const std::string& path, bool library, Span span) {
    const std::string id = library ? "library:" + path : key(path);
    if (const auto known = numbers_.find(id); known != numbers_.end()) return known->second;
    std::optional<std::string> text = library ? library_text(path) : file_text(path, span);
    if (!text) return std::nullopt;
    if (!main_->has_room(text->size())) {
      diagnostics_.report({.code = DiagCode::FileTooLarge,
                           .span = span,
                           .message = fmt::format("the files of this model are larger than {} MiB",
                                                  kMaxSourceBytes >> 20)});
      return std::nullopt;
    }
    const std::int32_t number = main_->file_count();
    main_->add(path, std::move(*text));
    from_library_.push_back(library ? 1 : 0);
    numbers_[id] = number;
    return number;
  }

  static std::optional<std::string> library_text(const std::string& path) {
    for (const LibraryFile& file : library_files()) {
      if (path == std::string(kLibrary) + std::string(file.name)) return std::string(file.text);
    }
    return std::nullopt;
  }

  std::optional<std::string> file_text(const std::string& path, Span span) {
    Diagnostics found;
    std::optional<std::string> text = read_file(path, kMaxSourceBytes, found);
    for (Diagnostic d : found.all()) {
      d.span = span;  // the import that wants it
      diagnostics_.report(std::move(d));
    }
    return text;
  }

  // The first cycle of imports, from the import that closes it.
  void report_cycle() {
    std::vector<std::size_t> next(static_cast<std::size_t>(main_->file_count()), 0);
    std::vector<char> state(next.size(), 0);  // 1: on the path, 2: done
    std::vector<std::int32_t> path{0};
    state[0] = 1;
    while (!path.empty()) {
      const auto at = static_cast<std::size_t>(path.back());
      const auto& links = main_->file(path.back()).links;
      if (next[at] == links.size()) {
        state[at] = 2;
        path.pop_back();
        continue;
      }
      const SourceFile::Link link = links[next[at]++];
      const auto target = static_cast<std::size_t>(link.file);
      if (state[target] == 1) return report_cycle(path, next, link);
      if (state[target] == 0) {
        state[target] = 1;
        path.push_back(link.file);
      }
    }
  }

  void report_cycle(const std::vector<std::int32_t>& path, const std::vector<std::size_t>& next,
                    SourceFile::Link closing) {
    Diagnostic d{.code = DiagCode::ImportCycle, .span = closing.module};
    std::string chain;
    const auto first = std::find(path.begin(), path.end(), closing.file);
    for (auto f = first; f != path.end(); ++f) {
      const SourceFile& source = main_->file(*f);
      chain += fmt::format("`{}` imports ", source.name());
      const SourceFile::Link link = source.links[next[static_cast<std::size_t>(*f)] - 1];
      if (f + 1 != path.end()) d.labels.push_back({link.module, "imported here"});
    }
    chain += fmt::format("`{}`", main_->file(closing.file).name());
    d.message = path.end() - first == 1 ? "a file imports itself"
                                        : "files import each other in a cycle: " + chain;
    d.help = "put what both need into a file of its own";
    diagnostics_.report(std::move(d));
  }

  std::vector<std::string> folders_;
  Diagnostics& diagnostics_;
  std::optional<SourceFile> main_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<char> from_library_;
};

}  // namespace

std::string_view module_of(const LibraryFile& file) {
  return file.name.substr(0, file.name.find_first_of("/."));
}

std::optional<SourceFile> read_model(const std::string& path,
                                     const std::vector<std::string>& folders,
                                     Diagnostics& diagnostics) {
  return Reader(folders, diagnostics).read(path);
}

std::vector<std::string> import_folders(const std::vector<std::string>& included,
                                        Diagnostics& diagnostics) {
  for (const std::string& folder : included) {
    if (is_folder(folder)) continue;
    diagnostics.report({.code = DiagCode::BadOption,
                        .message = fmt::format("`--include {}` is no folder", folder)});
  }
  std::vector<std::string> folders = included;
  const char* path = std::getenv("CHI_PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return folders;
}

std::vector<std::string> model_files(const std::string& path) {
  if (!is_folder(path)) return {path};
  std::vector<std::string> files;
  std::error_code none;
  for (fs::recursive_directory_iterator at(path, none), end; at != end; at.increment(none)) {
    if (none) break;
    const std::string name = at->path().string();
    if (name.ends_with(kSuffix) && !at->is_directory(none)) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace chi::driver
