internal import Glibc

/// A program of the system that writes to a pipe of ours. It ends with this object.
final class ChildProcess {
  /// The end of the pipe that is read. Whoever takes it closes it.
  let output: Int32
  private let process: pid_t
  private var hasEnded = false

  /// - Parameters:
  ///   - command: the program's name, found on the path, and its arguments.
  ///   - input: an open file, which becomes its standard input; `nil` for none.
  /// - Returns: `nil` where there is no such program.
  /// - Throws: `.io` where the system refuses.
  init?(_ command: [String], input: Int32?) throws(PacketLogError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw PacketLogError(.io(errno), offset: 0) }
    // Each process has its own end only: the pipe ends when the program does.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var process: pid_t = 0
    let failure = Self.spawn(command, input, ends[1], &process)
    close(ends[1])
    guard failure == 0 else {
      close(ends[0])
      if failure == ENOENT { return nil }
      throw PacketLogError(.io(failure), offset: 0)
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
  func hasSucceeded() -> Bool {
    var status: Int32 = 0
    hasEnded = true
    while waitpid(process, &status, 0) < 0 {
      // Whoever started us may have had the kernel keep no child's status. A log that is cut shows by itself.
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
    // Options that the user keeps in variables for these programs are not for us, nor is their language.
    var environment = [strdup("LC_ALL=C")]
    if let path = getenv("PATH") { environment.append(strdup("PATH=\(String(cString: path))")) }
    var arguments = command.map { strdup($0) }
    defer { (arguments + environment).forEach { free($0) } }
    arguments.append(nil)
    environment.append(nil)
    return posix_spawnp(&process, command[0], &actions, nil, &arguments, &environment)
  }
}
