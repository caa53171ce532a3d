import Foundation
import Glibc

@testable import TestSupport

/// A program that runs in a terminal of its own, as if a person had started it there.
///
/// What it shows is read up to a text that is waited for; each wait has a limit, and fails with all that was
/// shown.
final class PseudoTerminal {
  struct Timeout: Error, CustomStringConvertible {
    var description: String
  }

  private let master: Int32
  private let process: pid_t
  private var shown: [UInt8] = []
  /// How much of it was waited for already.
  private var seen = 0
  private var status: Int32?

  init(_ program: URL, _ arguments: [String] = [], environment: [String: String]) throws {
    // Closed in every program that is started: one that held it open would keep the terminal from ending.
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

  /// What `unlockpt` and `ptsname` do, which the headers show to GNU programs only.
  /// - Returns: the path at which the other end is opened.
  private static func unlock(_ master: Int32) -> String? {
    var lock: Int32 = 0
    var number: UInt32 = 0
    guard ioctl(master, UInt(TIOCSPTLCK), &lock) == 0, ioctl(master, UInt(TIOCGPTN), &number) == 0 else {
      return nil
    }
    return "/dev/pts/\(number)"
  }

  private static let (TIOCSPTLCK, TIOCGPTN) = (0x4004_5431, 0x8004_5430)

  /// `POSIX_SPAWN_SETSID`, which they do not show either.
  private static let newSession: Int16 = 0x80

  /// The program leads a session, so that the terminal that it opens first is its own and Ctrl-C reaches it.
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

  /// Waits until the program has shown a text that was not waited for yet.
  /// - Returns: what it showed before it and with it.
  @discardableResult
  func wait(for text: String, within limit: Duration = hangLimit) throws -> String {
    let wanted = Array(text.utf8)
    let end = ContinuousClock.now + limit
    while true {
      if let found = shown[seen...].firstRange(of: wanted) {
        defer { seen = found.upperBound }
        return String(decoding: shown[seen..<found.upperBound], as: UTF8.self)
      }
      guard read(until: end) else { throw Timeout(description: "no \"\(text)\" in:\n\(transcript)") }
    }
  }

  /// Waits until the program has ended.
  /// - Returns: its exit status; negative, the signal that ended it.
  func waitForEnd(within limit: Duration = hangLimit) throws -> Int32 {
    let end = ContinuousClock.now + limit
    while read(until: end) {}
    // Its terminal is closed, or the time is over.
    var code: Int32 = 0
    while waitpid(process, &code, WNOHANG) == 0 {
      guard ContinuousClock.now < end else { throw Timeout(description: "it goes on after:\n\(transcript)") }
      usleep(1000)
    }
    let ended = code & 0x7F == 0 ? code >> 8 & 0xFF : -(code & 0x7F)
    status = ended
    return ended
  }

  /// All that was shown, and typed.
  var transcript: String { String(decoding: shown, as: UTF8.self) }

  private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(master, bytes, bytes.count)
  }

  /// - Returns: whether something came before the end of the time, or of the program.
  private func read(until end: ContinuousClock.Instant) -> Bool {
    let left = (end - .now) / .milliseconds(1)
    guard left > 0 else { return false }
    var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Int32(left.rounded(.up))) > 0 else { return false }
    var chunk = [UInt8](repeating: 0, count: 4096)
    // An error where the program has ended.
    let count = Glibc.read(master, &chunk, chunk.count)
    guard count > 0 else { return false }
    shown += chunk.prefix(count)
    return true
  }
}

extension POSIXError {
  fileprivate static var current: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
}
