internal import Glibc

/// A program of the system, run to its end.
enum SystemProgram {
  struct Outcome {
    /// Of its exit; 128 and the signal where it was killed, as shells have it.
    var status: Int32
    var output: String
    var errors: String

    /// What it said was wrong, on one line.
    var complaint: String {
      let lines = errors.split(separator: "\n").map(String.init)
      return lines.isEmpty ? "ended with status \(status)" : lines.joined(separator: "; ")
    }
  }

  /// Runs it with this program's environment, in a session of its own without a terminal, with the default
  /// signal mask and actions. It is terminated if this program ends before it.
  ///
  /// - Parameter command: The program's name, found on the path, and its arguments.
  /// - Throws: ``ServiceRefusal`` where there is no such program, or the system starts none.
  static func run(_ command: [String]) throws(ServiceRefusal) -> Outcome {
    guard isInstalled(command[0]) else { throw ServiceRefusal("\(command[0]): \(reason(ENOENT))") }
    guard let output = Pipe(), let errors = Pipe() else { throw ServiceRefusal(reason(errno)) }
    var process: pid_t = 0
    // setpriv is a part of util-linux, as systemd needs it. posix_spawn has no way to ask for this signal.
    // The kernel sends it when the thread that started the child ends; that thread waits here.
    var failure = spawn(["setpriv", "--pdeathsig", "TERM", "--"] + command, output, errors, &process)
    if failure == ENOENT { failure = spawn(command, output, errors, &process) }
    guard failure == 0 else { throw ServiceRefusal("\(command[0]): \(reason(failure))") }
    let texts = readAll([output, errors])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return Outcome(
      status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: texts[0], errors: texts[1])
  }

  /// POSIX_SPAWN_SETSID, which the Glibc module leaves out.
  private static let newSession: Int32 = 0x80

  /// Whether a program is found, as posix_spawnp searches for it.
  private static func isInstalled(_ program: String) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
    return path.split(separator: ":", omittingEmptySubsequences: false).contains { folder in
      access("\(folder.isEmpty ? "." : folder)/\(program)", X_OK) == 0
    }
  }

  /// - Returns: An error number; 0 if the program was started.
  private static func spawn(
    _ command: [String], _ output: Pipe, _ errors: Pipe, _ process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO)
    let pointers = command.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | newSession
    posix_spawnattr_setflags(&attributes, Int16(flags))
    return posix_spawnp(&process, command[0], &actions, &attributes, pointers, environ)
  }

  /// Both together: a program that fills one pipe would wait for it while the other is read.
  private static func readAll(_ pipes: [Pipe]) -> [String] {
    for pipe in pipes { pipe.closeWriting() }
    var bytes = pipes.map { _ in [UInt8]() }
    var polled = pipes.map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
    var chunk = [UInt8](repeating: 0, count: 4096)
    while polled.contains(where: { $0.fd >= 0 }) {
      guard poll(&polled, nfds_t(polled.count), -1) >= 0 else {
        // What was found the last time is of then: reading by it could wait for one while the other fills.
        if errno == EINTR { continue }
        break
      }
      for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
        let count = read(polled[index].fd, &chunk, chunk.count)
        if count > 0 {
          bytes[index] += chunk[..<count]
        } else if count == 0 || errno != EINTR {
          polled[index].fd = -1
        }
      }
    }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}

/// A pipe whose ends no program inherits by accident.
private final class Pipe {
  let reading: Int32
  private(set) var writing: Int32

  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  func closeWriting() {
    guard writing >= 0 else { return }
    close(writing)
    writing = -1
  }

  deinit {
    close(reading)
    closeWriting()
  }
}
