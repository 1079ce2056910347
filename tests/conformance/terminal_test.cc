#include <cstdint>
#include <functional>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "command_line.h"

// `chi run` in a terminal: the progress bar, and Ctrl-C as the keyboard gives it. The models run
// for ever; the key is pressed when the terminal shows what the test waits for, whenever that is.
namespace chi::conformance {
namespace {

struct Shown {
  int code = -1;       ///< exit code; 128 + n when signal n ended it
  std::string screen;  ///< all that came, with its control characters
};

/// The most that is waited for anything to come: an endless wait is a failure, not a hung test.
constexpr int kPatience = 300'000;  // ms

/// Runs chi with a terminal as its input, output and errors. Presses Ctrl-C as soon as `is_enough`
/// of what is on the screen.
Shown in_terminal(const Folder& folder, std::vector<std::string> arguments,
                  const std::function<bool(const std::string&)>& is_enough) {
  arguments.insert(arguments.begin(), CHI_BINARY);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string path = folder.path("");
  // Ctrl-C is a signal, is not shown, and leaves what was written before it to be read.
  termios manners{};
  manners.c_oflag = OPOST | ONLCR;
  manners.c_cflag = CS8 | CREAD;
  manners.c_lflag = ISIG | NOFLSH;
  manners.c_cc[VINTR] = 3;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, &manners, nullptr);
  if (child == 0) {
    if (chdir(path.c_str()) != 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Shown shown;
  if (child < 0) return shown;
  bool pressed = false;
  char buffer[4096];
  pollfd ready{terminal, POLLIN, 0};
  while (poll(&ready, 1, kPatience) > 0) {
    const ssize_t got = read(terminal, buffer, sizeof buffer);
    if (got <= 0) break;  // the other side has closed it
    shown.screen.append(buffer, static_cast<std::size_t>(got));
    if (!pressed && is_enough(shown.screen)) pressed = write(terminal, "\x03", 1) == 1;
  }
  close(terminal);  // hangs up, should it still run
  int status = 0;
  waitpid(child, &status, 0);
  shown.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return shown;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const std::string kClear = "\r\033[K";

/// A process that computes for a while at each whole time, for ever; and does `also`.
std::string endless(std::string_view also) {
  return "proc P() = |[ n, k: nat\n| *[ true -> n := 0; *[ n < 200000 -> n := n + 1 ]; k := k + "
         "1; " +
         std::string(also) + "delta 1.0 ] ]|\n";
}

class Terminal : public testing::Test {
 protected:
  Folder folder;
};

TEST_F(Terminal, TheBarShowsTheShareOfTheEndTimeAndControlCKeepsTheResults) {
  folder.write("m.chi", endless(""));
  const Shown shown =
      in_terminal(folder, {"run", "m.chi", "--end", "1e9", "--out", "r.csv", "--vars", "k"},
                  [](const std::string& screen) { return has(screen, " s left"); });
  EXPECT_EQ(shown.code, 130) << shown.screen;
  const std::size_t left = shown.screen.find(" s left");
  const std::size_t bar = shown.screen.rfind(kClear + "[", left);
  ASSERT_NE(bar, std::string::npos) << shown.screen;
  const std::string text = shown.screen.substr(bar + kClear.size(), left - bar);
  EXPECT_EQ(text.find_first_not_of("#.", 1), text.find("]   0 %  t = ")) << text;
  EXPECT_TRUE(has(text, " events  ")) << text;
  const std::size_t end = shown.screen.find("interrupted at t = ");
  ASSERT_NE(end, std::string::npos) << shown.screen;
  // The bar is gone before anything else is said.
  const std::size_t cleared = shown.screen.rfind(kClear, end);
  ASSERT_NE(cleared, std::string::npos);
  EXPECT_EQ(cleared + kClear.size(), end) << shown.screen;
  const std::vector<std::string> rows = lines(folder.read("r.csv"));
  ASSERT_GE(rows.size(), 3U);
  EXPECT_EQ(rows[1].substr(0, 2), "0,") << rows[1];
}

TEST_F(Terminal, WithoutAnEndTimeTheBarShowsTimeAndEvents) {
  folder.write("m.chi", endless(""));
  const Shown shown = in_terminal(folder, {"run", "m.chi"},
                                  [](const std::string& screen) { return has(screen, " events"); });
  EXPECT_EQ(shown.code, 130) << shown.screen;
  EXPECT_TRUE(has(shown.screen, kClear + "t = ")) << shown.screen;
  EXPECT_TRUE(has(shown.screen, "interrupted at t = ")) << shown.screen;
}

// Lines of the model and the bar do not mix.
TEST_F(Terminal, TheBarGoesBeforeTheModelPrints) {
  folder.write("m.chi", endless("!\"line\\n\"; "));
  const Shown shown = in_terminal(folder, {"run", "m.chi"}, [](const std::string& screen) {
    const std::size_t bar = screen.find(" events");
    return bar != std::string::npos && screen.find("line", bar) != std::string::npos;
  });
  EXPECT_EQ(shown.code, 130) << shown.screen;
  std::size_t after_bar = 0;
  for (std::size_t at = shown.screen.find("line"); at != std::string::npos;
       at = shown.screen.find("line", at + 1)) {
    const std::string before = shown.screen.substr(0, at);
    const bool cleared = before.ends_with(kClear);
    after_bar += cleared ? 1 : 0;
    EXPECT_TRUE(before.empty() || before.ends_with("\n") || cleared)
        << before.substr(before.size() - std::min<std::size_t>(before.size(), 80));
  }
  EXPECT_GE(after_bar, 1U);
}

TEST_F(Terminal, NoBarIfNoneIsWanted) {
  folder.write("m.chi", endless("[ k mod 300 = 0 -> !\"line\\n\" | true -> skip ]; "));
  for (const std::string option : {"--no-progress", "--quiet"}) {
    const Shown shown =
        in_terminal(folder, {"run", "m.chi", option},
                    [](const std::string& screen) { return has(screen, "line\r\nline"); });
    EXPECT_EQ(shown.code, 130) << shown.screen;
    EXPECT_FALSE(has(shown.screen, " events")) << shown.screen;
    EXPECT_FALSE(has(shown.screen, "\033")) << shown.screen;
  }
}

}  // namespace
}  // namespace chi::conformance
