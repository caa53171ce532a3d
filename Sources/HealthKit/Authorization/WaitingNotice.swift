import Glibc
import HealthStorage

/// A notice that the program is waiting for the user's permission.
///
/// Linux has no permission sheet, and a program that waits silently seems to hang. The notice is one line on
/// standard error, which is the only output of this module.
struct WaitingNotice {
  private let text: String?
  private var isPrinted = false

  /// Creates a notice.
  /// - Parameter store: The path of the store, or nil for a store in memory. No notice is printed for the
  ///   latter, because only the program itself can answer its requests.
  init(store: String?, in home: DataHome = .user) {
    text = store.map { store in
      let command = "hrgate permissions ask" + Self.option(store, home)
      return "Waiting for your permission. To answer: \(command)"
    }
  }

  /// Prints the notice once. Does nothing if the descriptor is not writable: writing to a stopped terminal
  /// would block, and writing to a closed pipe would end the process.
  mutating func printOnce(on descriptor: Int32 = STDERR_FILENO) {
    guard let text, !isPrinted else { return }
    isPrinted = true
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&state, 1, 0) == 1, state.revents == Int16(POLLOUT) else { return }
    let line = Array("\(text)\n".utf8)
    _ = write(descriptor, line, line.count)
  }

  /// Returns the command-line option that selects the store, followed by its value. Empty for the default
  /// store.
  private static func option(_ store: String, _ home: DataHome) -> String {
    if FileIdentity.isSame(store, home.ownersStore) { return "" }
    let person = (try? home.people.names())?.first { FileIdentity.isSame(store, home.people.store(of: $0)) }
    return person.map { " --person \(quoted($0.text))" } ?? " --store \(quoted(store))"
  }

  /// Quotes a string for a POSIX shell.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { letter in
      (48...57).contains(letter) || (65...90).contains(letter) || (97...122).contains(letter)
        || "/._-+".utf8.contains(letter)
    }
    return isPlain
      ? path
      : "'"
        + path.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
