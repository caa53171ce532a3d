import Foundation
import Glibc

@testable import TestSupport

/// A program in a terminal of its own, as if a user had started it there.
///
/// Tests wait for texts in its output. A wait that exceeds its time limit fails with the whole output.
final class PseudoTerminal {
  struct TimeoutError: Error, CustomStringConvertible {
    var description: String
  }

  private let master: Int32
  private let process: pid_t
  private var shown: [UInt8] = []
  /// Number of bytes that were already matched by a wait.
  private var seen = 0
  private var status: Int32?

  init(_ program: URL, _ arguments: [String] = [], environment: [String: String]) throws {
    // O_CLOEXEC, because a program that inherited this end would keep the terminal open.
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw POSIXError.current }
    guard let name = Self.unlock(master) else {
      close(master)
      throw POSIXError.current
    }
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    do {
      process = try Self.start(program, arguments, all, terminal: name)
    } catch {
      close(master)
      throw error
    }
  }

  /// Does the work of `unlockpt` and `ptsname`, which the headers declare only for GNU programs.
  ///
  /// - Returns: The path of the other end.
  private static func unlock(_ master: Int32) -> String? {
    var lock: Int32 = 0
    var number: UInt32 = 0
    guard ioctl(master, UInt(TIOCSPTLCK), &lock) == 0, ioctl(master, UInt(TIOCGPTN), &number) == 0 else {
      return nil
    }
    return "/dev/pts/\(number)"
  }

  private static let (TIOCSPTLCK, TIOCGPTN) = (0x4004_5431, 0x8004_5430)

  /// The value of POSIX_SPAWN_SETSID, which the headers declare only for GNU programs.
  private static let newSession: Int16 = 0x80

  /// Starts the program as the leader of a new session, so that the first terminal it opens becomes its
  /// controlling terminal and Ctrl-C reaches it.
  private static func start(
    _ program: URL, _ arguments: [String], _ environment: [String: String], terminal: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Self.newSession)
    let argv = ([program.path] + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, program.path, &actions, &attributes, argv, envp)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
    return process
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(master)
  }

  /// Types a line.
  func type(_ line: String) { put(line + "\n") }

  /// Types Ctrl and a letter.
  func control(_ letter: Character) {
    put(String(decoding: [(letter.asciiValue ?? 0) & 0x1F], as: UTF8.self))
  }

  func send(_ signal: Int32) { kill(process, signal) }

  /// Waits until the program has shown a text after the last match.
  ///
  /// - Returns: The output up to and including the text.
  @discardableResult
  func wait(for text: String, within limit: Duration = hangLimit) throws -> String {
    let wanted = Array(text.utf8)
    let end = ContinuousClock.now + limit
    while true {
      if let found = shown[seen...].firstRange(of: wanted) {
        defer { seen = found.upperBound }
        return String(decoding: shown[seen..<found.upperBound], as: UTF8.self)
      }
      guard read(until: end) else { throw TimeoutError(description: "no \"\(text)\" in:\n\(transcript)") }
    }
  }

  /// Waits until the program has ended.
  /// - Returns: The exit status, or the negated signal that ended the program.
  func waitForEnd(within limit: Duration = hangLimit) throws -> Int32 {
    let end = ContinuousClock.now + limit
    while read(until: end) {}
    // The program has closed the terminal, or the time limit was reached.
    var code: Int32 = 0
    while waitpid(process, &code, WNOHANG) == 0 {
      guard ContinuousClock.now < end else {
        throw TimeoutError(description: "it goes on after:\n\(transcript)")
      }
      usleep(1000)
    }
    let ended = code & 0x7F == 0 ? code >> 8 & 0xFF : -(code & 0x7F)
    status = ended
    return ended
  }

  /// The whole output and input.
  var transcript: String { String(decoding: shown, as: UTF8.self) }

  private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(master, bytes, bytes.count)
  }

  /// - Returns: Whether there was output before the time limit and before the program ended.
  private func read(until end: ContinuousClock.Instant) -> Bool {
    let left = (end - .now) / .milliseconds(1)
    guard left > 0 else { return false }
    var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Int32(left.rounded(.up))) > 0 else { return false }
    var chunk = [UInt8](repeating: 0, count: 4096)
    // Reading fails once the program has ended.
    let count = Glibc.read(master, &chunk, chunk.count)
    guard count > 0 else { return false }
    shown += chunk.prefix(count)
    return true
  }
}

extension POSIXError {
  fileprivate static var current: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
}
