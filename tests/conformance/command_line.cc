#include "command_line.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace chi::conformance {
namespace {

/// The child's side: output to the pipe, errors to a file, and off.
[[noreturn]] void become_chi(const std::string& folder, const std::vector<std::string>& arguments,
                             int pipe_end) {
  std::vector<char*> argv;
  static std::string program = CHI_BINARY;
  argv.push_back(program.data());
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int errors = open((folder + "/.stderr").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (errors < 0 || chdir(folder.c_str()) != 0) _exit(126);
  dup2(pipe_end, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "chi_test_XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::path(std::string_view name) const { return path_ + "/" + std::string(name); }

void Folder::write(std::string_view name, std::string_view text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string Folder::read(std::string_view name) const {
  std::ostringstream text;
  text << std::ifstream(path(name), std::ios::binary).rdbuf();
  return text.str();
}

bool Folder::has(std::string_view name) const { return std::filesystem::exists(path(name)); }

Called Folder::chi(const std::vector<std::string>& arguments, std::string_view interrupt) const {
  int ends[2] = {};
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) become_chi(path_, arguments, ends[1]);
  close(ends[1]);
  Called called;
  bool interrupted = interrupt.empty();
  char buffer[4096];
  for (ssize_t got = ::read(ends[0], buffer, sizeof buffer); got > 0;
       got = ::read(ends[0], buffer, sizeof buffer)) {
    called.out.append(buffer, static_cast<std::size_t>(got));
    if (!interrupted && called.out.find(interrupt) != std::string::npos) {
      interrupted = true;
      kill(child, SIGINT);
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  called.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  called.err = read(".stderr");
  return called;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

}  // namespace chi::conformance
