internal import Glibc

/// A program of the system that writes to a pipe of ours. It ends with this object.
///
/// A signal of the terminal's does not reach it: what the user interrupts is the program that started it, and
/// that may want to come to a good end first.
package final class ChildProcess {
  /// Under this name the program finds the file that is its standard input, whatever that is called: some
  /// programs take brackets and stars in a name for a pattern, and a minus for an option.
  package static let inputName = "/proc/self/fd/0"

  /// The end of the pipe that is read. Whoever takes it closes it.
  package let output: Int32
  let process: pid_t
  private var hasEnded = false

  /// - Parameters:
  ///   - command: the program's name, found on the path, and its arguments.
  ///   - input: an open file, which becomes its standard input; `nil` for none.
  /// - Returns: `nil` where there is no such program.
  /// - Throws: where the system refuses.
  package init?(_ command: [String], input: Int32?) throws(SystemRefusal) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemRefusal(errno: errno) }
    // Each process has its own end only: the pipe ends when the program does.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var process: pid_t = 0
    let failure = Self.spawn(command, input, ends[1], &process)
    close(ends[1])
    guard failure == 0 else {
      close(ends[0])
      if failure == ENOENT { return nil }
      throw SystemRefusal(errno: failure)
    }
    self.process = process
    output = ends[0]
  }

  deinit {
    guard !hasEnded else { return }
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// Waits for the end, which is near where the pipe has ended.
  ///
  /// - Returns: whether the program did what it was asked.
  package func hasSucceeded() -> Bool {
    var status: Int32 = 0
    hasEnded = true
    while waitpid(process, &status, 0) < 0 {
      // Whoever started us may have had the kernel keep no child's status. What is cut shows by itself.
      guard errno == EINTR else { return true }
    }
    return status == 0
  }

  private static func spawn(
    _ command: [String], _ input: Int32?, _ output: Int32, _ process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    // What it complains of is its exit status to us, and a sentence of ours to the user.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A process group of its own.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    // Options that the user keeps in variables for these programs are not for us, nor is their language.
    var environment = [strdup("LC_ALL=C")]
    if let path = getenv("PATH") { environment.append(strdup("PATH=\(String(cString: path))")) }
    var arguments = command.map { strdup($0) }
    defer { (arguments + environment).forEach { free($0) } }
    arguments.append(nil)
    environment.append(nil)
    return posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &environment)
  }
}

/// The system did not start a program, for want of memory or processes.
package struct SystemRefusal: Error {
  package let errno: Int32
}
